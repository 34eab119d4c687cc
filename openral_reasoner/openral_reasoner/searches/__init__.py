"""Where to look for something that is not in memory."""

from openral_reasoner.searches.candidates import Candidate, CandidateKind
from openral_reasoner.searches.costs import SearchCosts
from openral_reasoner.searches.plan import plan_active_search
from openral_reasoner.searches.progress import (
    BLIND,
    NOBODY_CAN_LOOK,
    SEEN_NOT_PLACED,
    SearchProgress,
    Visit,
)
from openral_reasoner.searches.terms import same_term, term_key

__all__ = [
    "BLIND",
    "NOBODY_CAN_LOOK",
    "SEEN_NOT_PLACED",
    "Candidate",
    "CandidateKind",
    "SearchCosts",
    "SearchProgress",
    "Visit",
    "plan_active_search",
    "same_term",
    "term_key",
]
