"""Choices of an evaluation, as the command line names them."""

from enum import StrEnum


class CorePart(StrEnum):
    """Part of the core that can be left out."""

    HINTS = "hints"
    """Likely places that the model names with a recall."""
    PRIORS = "priors"
    """Commonsense about where kinds of objects are kept."""
    POLICY = "policy"
    """One live detection after a miss of memory, before the model decides again."""


_SENTENCES = ("language", "paraphrases", "refusals")
SUITE_NAMES = ("search", "household", "tidy", "twc", "tools", *_SENTENCES, "injection")
