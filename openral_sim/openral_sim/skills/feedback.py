"""What a running skill tells after every control period."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from openral_core.skills import SkillResult

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Feedback:
    """The stage a skill is in, in words, and how far along it is in [0, 1]."""

    stage: str
    progress: float


Move = Generator[Feedback, None, _T]
"""Part of a skill: each ``yield`` hands back control for one control period."""

Running = Generator[Feedback, None, SkillResult]
"""A running skill; its return value is how it ended."""
