"""What one check has found."""

from collections.abc import Sequence
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


def conclusion(findings: Sequence[Finding]) -> str:
    """What it comes to, in one sentence."""
    bad = [each.what for each in findings if each.verdict is Verdict.BAD]
    limited = [each.what for each in findings if each.verdict is Verdict.LIMITED]
    if bad:
        return f"The graph cannot run here yet. Mend first: {bad[0]}."
    if limited:
        return f"The graph can run here, with limits: {', '.join(limited)}."
    return "The graph can run here, with every detector."
