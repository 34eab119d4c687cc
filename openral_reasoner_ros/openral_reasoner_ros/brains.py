"""Kinds of decision models and of their prompts, as the command line names them."""

from enum import StrEnum


class Brain(StrEnum):
    """Kind of decision model."""

    SCRIPTED = "scripted"
    LOCAL = "local"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"


LOCAL_MEMORY_MB = 400.0
"""Declared memory of the worker of brain `local` with our model [MB]; the budget counts what is measured."""


class PromptForm(StrEnum):
    """Prompt of the model: tools to call, legal next calls to pick from, or what the endpoint can bear."""

    FULL = "full"
    COMPACT = "compact"
    AUTO = "auto"
