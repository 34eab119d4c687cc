"""The root of every OpenRAL error."""


class OpenRALError(Exception):
    """Base of every error raised by OpenRAL code."""
