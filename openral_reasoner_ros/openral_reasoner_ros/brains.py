"""Kinds of decision models, as the command line names them."""

from enum import StrEnum


class Brain(StrEnum):
    """Kind of decision model."""

    SCRIPTED = "scripted"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
