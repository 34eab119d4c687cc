"""Rules for serving: vessels of drinks, place settings, and surfaces for setting objects down."""

from collections.abc import Mapping
from functools import cache

from openral_core.documents import Document, shipped_document
from openral_core.text.terms import normalize_term
from openral_reasoner.request.goals import BringSeveral, SetTable


class ServingRules(Document):
    """Vessels by drink, place settings by meal, and surfaces for setting objects down."""

    vessels: Mapping[str, str]
    settings: Mapping[str, tuple[str, ...]]
    staging: tuple[str, ...]

    def vessel_for(self, vessel: str, contents: str) -> str:
        """Return the vessel that suits these contents if ``vessel`` was asked for."""
        nouns = normalize_term(contents).split()
        return next((self.vessels[noun] for noun in nouns if noun in self.vessels), vessel)


def place_settings(goal: SetTable) -> tuple[BringSeveral, ...]:
    """Return the objects that set a table."""
    settings = load_serving_rules().settings
    return tuple(BringSeveral(what, goal.count, goal.where) for what in settings.get(goal.meal, settings[""]))


@cache
def load_serving_rules() -> ServingRules:
    """Load the rules of the package."""
    return shipped_document(ServingRules, __package__, "serving.yaml")
