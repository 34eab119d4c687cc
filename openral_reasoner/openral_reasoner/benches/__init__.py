"""Measures of the reasoner without a robot."""

from openral_reasoner.benches.search import SearchScore, run_search, score_search
from openral_reasoner.benches.searchers import SEARCHERS

__all__ = ["SEARCHERS", "SearchScore", "run_search", "score_search"]
