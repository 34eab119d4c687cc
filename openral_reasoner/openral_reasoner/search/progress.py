"""Progress of one search episode, and the normalisation of its term."""

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
"""Outcomes without an evaluated image: they say nothing about presence or absence."""
SEEN_NOT_PLACED = "SEEN_NOT_PLACED"
"""Outcome of a detection that memory could not place, for example for lack of depth."""
NOBODY_CAN_LOOK = "NOBODY_CAN_LOOK"
"""Outcome of a place that was not visited because no locator is available."""
MAX_VISITS = 2
"""Maximum visits to a place where no image could be evaluated."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Visit to one place with its outcome; only NOT_IN_VIEW is evidence of absence."""

    node_id: str
    outcome: str


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Search episode for one term; bounded, because no candidate is searched twice."""

    term: str
    escalated: bool = False
    visits: tuple[Visit, ...] = ()
    near_misses: tuple[str, ...] = ()
    priors: tuple[str, ...] = ()
    found: str = ""

    @property
    def sighted(self) -> str:
        """Id of the place where the object was seen but could not be placed; "" if none."""
        return next((v.node_id for v in self.visits if v.outcome == SEEN_NOT_PLACED), "")

    @property
    def visited(self) -> frozenset[str]:
        """Ids of places that were searched, or visited often enough without an evaluated image."""
        times = Counter(visit.node_id for visit in self.visits)
        looked = {visit.node_id for visit in self.visits if visit.outcome not in BLIND}
        return frozenset(looked | {each for each, count in times.items() if count >= MAX_VISITS})

    def after_escalation(self) -> "SearchProgress":
        """Return the episode after the default locator was asked, which happens once."""
        return replace(self, escalated=True)

    def after_visit(self, node_id: str, outcome: str) -> "SearchProgress":
        """Return the episode with one more visit."""
        return replace(self, visits=(*self.visits, Visit(node_id, outcome)))

    def after_finding(self, node_id: str) -> "SearchProgress":
        """Return the episode as ended by finding a node."""
        return replace(self, found=node_id)

    def reopened(self) -> "SearchProgress":
        """Return the episode reopened, because the object is not where it was found."""
        return replace(self, found="", escalated=True)

    def hinted(self, near_misses: tuple[str, ...], priors: tuple[str, ...]) -> "SearchProgress":
        """Return the episode with further hints of memory and the model, earlier hints first."""
        return replace(
            self,
            near_misses=tuple(dict.fromkeys((*self.near_misses, *near_misses))),
            priors=tuple(dict.fromkeys((*self.priors, *priors))),
        )


_ARTICLES = re.compile(r"^(?:(?:a|an|the|my|some|any|please)\s+)+")


def normalize_term(term: str) -> str:
    """Normalise case, articles and spaces; there is one search episode per normalised term."""
    plain = re.sub(r"[^\w\s-]", " ", term.lower(), flags=re.UNICODE)
    return _ARTICLES.sub("", " ".join(plain.split())).strip()


def same_term(first: str, second: str) -> bool:
    """Return True if both terms name the same search."""
    return normalize_term(first) == normalize_term(second)
