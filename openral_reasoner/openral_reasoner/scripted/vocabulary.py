"""Vocabulary of the grammar: classes of words, from a data file of the package."""

from collections.abc import Mapping
from importlib.resources import files

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml

_FILE = "vocabulary.yaml"


class _Vocabulary(Document):
    """Words by class, separated by spaces, and patterns of phrases."""

    verbs: str
    other_verbs: str
    verbs_or_nouns: str
    verbs_before_determiners: str
    determiners: str
    no_nouns: str
    shelved: str
    intangible: str
    no_places: str
    concrete: str
    locating: str
    inside_places: str
    kin: str
    ordering: str
    sharp: str
    children: str
    medicines: str
    electric: str
    watery: str
    toxic: str
    sockets: str
    metal: str
    surfaces: str
    vessels: str
    flammable: str
    hot: str
    transfers: str
    heaters: str
    interjections: str
    adverbs: str
    courtesy: str
    favours: str
    closing: str
    stating_verbs: str
    past_forms: str
    no_subjects: str
    corrections: str
    wishes: str
    exclamations: str
    roles: str
    looks: str
    moving_verbs: str
    occasions: str
    closing_starts: str
    spare_time: str
    never_alone: str
    pronouns: str
    auxiliaries: str
    phrases: Mapping[str, tuple[str, ...]]


def _load() -> _Vocabulary:
    text = files("openral_reasoner.scripted").joinpath(_FILE).read_text(encoding="utf-8")
    return parse_document(_Vocabulary, parse_yaml(text), _FILE)


_LOADED = _load()
WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in _LOADED.model_dump(exclude={"phrases"}).items()
}
"""Words by class."""
PHRASES: Mapping[str, str] = {name: rf"(?:{'|'.join(phrases)})" for name, phrases in _LOADED.phrases.items()}
"""Patterns of phrases by class."""
