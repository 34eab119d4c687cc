"""How far one search has come."""
# MERGED When two ways to ask are one question.

import re
from collections import Counter
from dataclasses import dataclass, replace

from openral_core.detectors import LocateStatus

BLIND = frozenset(
    {
        "NO_DETECTOR",
        LocateStatus.NO_FRAME.name,
        LocateStatus.STALE_FRAME.name,
        LocateStatus.INACTIVE.name,
        LocateStatus.LOADING.name,
        LocateStatus.BUSY.name,
        LocateStatus.TIMEOUT.name,
        LocateStatus.OUT_OF_MEMORY.name,
        LocateStatus.DETECTOR_ERROR.name,
    }
)
"""Ends of a look that say nothing about whether a thing is there."""
SEEN_NOT_PLACED = "SEEN_NOT_PLACED"
"""Of a look that found the thing, which memory could not place: no depth, say."""
NOBODY_CAN_LOOK = "NOBODY_CAN_LOOK"
"""Of a place that was not gone to."""
MOST_VISITS = 2
"""How often a place is gone to when it could not be looked at."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One place looked at and how that ended; only NOT_IN_VIEW is evidence of absence."""

    node_id: str
    outcome: str


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """One episode for one term: bounded, because no candidate is looked at twice."""

    term: str
    escalated: bool = False
    visits: tuple[Visit, ...] = ()
    near_misses: tuple[str, ...] = ()
    priors: tuple[str, ...] = ()
    found: str = ""

    @property
    def sighted(self) -> str:
        """Id of the place at which it was seen, though it could not be placed; "" when at none."""
        return next((v.node_id for v in self.visits if v.outcome == SEEN_NOT_PLACED), "")

    @property
    def visited(self) -> frozenset[str]:
        """Ids that were looked at, or gone to often enough without a look."""
        times = Counter(visit.node_id for visit in self.visits)
        looked = {visit.node_id for visit in self.visits if visit.outcome not in BLIND}
        return frozenset(looked | {each for each, count in times.items() if count >= MOST_VISITS})

    def after_escalation(self) -> "SearchProgress":
        """The locator has been asked; it is not asked again by policy."""
        return replace(self, escalated=True)

    def after_visit(self, node_id: str, outcome: str) -> "SearchProgress":
        """One more place is done with."""
        return replace(self, visits=(*self.visits, Visit(node_id, outcome)))

    def after_finding(self, node_id: str) -> "SearchProgress":
        """The episode is over: found."""
        return replace(self, found=node_id)

    def reopened(self) -> "SearchProgress":
        """What was found is not there after all; a look has already been had."""
        return replace(self, found="", escalated=True)

    def hinted(self, near_misses: tuple[str, ...], priors: tuple[str, ...]) -> "SearchProgress":
        """With what memory and the model say of where to look; the first to say it is looked at first."""
        return replace(
            self,
            near_misses=tuple(dict.fromkeys((*self.near_misses, *near_misses))),
            priors=tuple(dict.fromkeys((*self.priors, *priors))),
        )


_ARTICLES = re.compile(r"^(?:(?:a|an|the|my|some|any|please)\s+)+")


def normalize_term(words: str) -> str:
    """The words without case, articles and repeated space: one search episode per key."""
    plain = re.sub(r"[^\w\s-]", " ", words.lower(), flags=re.UNICODE)
    return _ARTICLES.sub("", " ".join(plain.split())).strip()


def same_term(first: str, second: str) -> bool:
    """Whether both ask for the same thing."""
    return normalize_term(first) == normalize_term(second)
