"""Success is earned: the evidence of a mission, and goals as predicates over it."""

from openral_reasoner.success.evidence import (
    Acted,
    Answered,
    Evidence,
    Fact,
    Gone,
    Node,
    Referred,
    Same,
    Source,
)
from openral_reasoner.success.predicates import Verdict, judge, predicate_of
from openral_reasoner.success.references import Setting

__all__ = [
    "Acted",
    "Answered",
    "Evidence",
    "Fact",
    "Gone",
    "Node",
    "Referred",
    "Same",
    "Setting",
    "Source",
    "Verdict",
    "judge",
    "predicate_of",
]
