"""Vocabulary of the grammar: classes of words, from a data file of the package."""

from collections.abc import Mapping
from importlib.resources import files

from openral_core.documents import Document, parse_document, parse_yaml

_FILE = "vocabulary.yaml"


class _Vocabulary(Document):
    """Words by class, separated by spaces."""

    verbs: str
    other_verbs: str
    verbs_or_nouns: str
    verbs_before_determiners: str
    determiners: str
    no_nouns: str
    immovable: str
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
    toxic: str
    sockets: str


def _load() -> Mapping[str, frozenset[str]]:
    text = files("openral_reasoner.scripted").joinpath(_FILE).read_text(encoding="utf-8")
    vocabulary = parse_document(_Vocabulary, parse_yaml(text), _FILE)
    return {name: frozenset(words.split()) for name, words in vocabulary.model_dump().items()}


WORDS: Mapping[str, frozenset[str]] = _load()
"""Words by class."""
