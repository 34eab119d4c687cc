"""What one check has found."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How bad it is."""

    GOOD = "ok"
    LIMITED = "limited"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """``advice`` says what to do unless all is well."""

    what: str
    verdict: Verdict
    found: str
    advice: str = ""


def judged(what: str, found: str, good: bool, advice: str, otherwise: Verdict = Verdict.BAD) -> Finding:
    """Good, or ``otherwise`` with the advice."""
    return Finding(what, Verdict.GOOD, found) if good else Finding(what, otherwise, found, advice)
