"""The root of every error this stack raises; leaves stand beside what raises them."""


class OpenRALError(Exception):
    """A condition named by its subclass, whose constructor takes facts and writes the message."""
