"""Commonsense priors: usual places of objects, and vessels of drinks."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml

from openral_core.documents import Document, parse_document
from openral_reasoner.search.progress import normalize_term


class Priors(Document):
    """Places by head noun, vessels by drink, and surfaces for setting objects down."""

    places: Mapping[str, tuple[str, ...]]
    vessels: Mapping[str, str]
    staging: tuple[str, ...]

    def likely_places(self, words: str) -> tuple[str, ...]:
        """Return the usual places of an object, best first."""
        nouns = normalize_term(words).split()
        known = next((self.places[noun] for noun in reversed(nouns) if noun in self.places), ())
        return tuple(dict.fromkeys((*known, *self.places["default"])))[:12]

    def vessel_for(self, vessel: str, contents: str) -> str:
        """Return the vessel that suits these contents if ``vessel`` was asked for."""
        nouns = normalize_term(contents).split()
        return next((self.vessels[noun] for noun in nouns if noun in self.vessels), vessel)


@cache
def load_priors() -> Priors:
    """Load the priors of the package."""
    name = "priors.yaml"
    text = files("openral_reasoner.scripted").joinpath(name).read_text(encoding="utf-8")
    return parse_document(Priors, yaml.safe_load(text), name)
