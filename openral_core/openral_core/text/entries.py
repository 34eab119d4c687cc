"""What thesaurus.yaml says."""

from functools import cache
from importlib import resources

import yaml
from pydantic import Field

from openral_core.documents import Document, parse_document

_FILE = "thesaurus.yaml"


class Entry(Document):
    """One thing: other names, broader things, typical attributes, and places it is usually found at."""

    synonyms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    typical: tuple[str, ...] = ()


class ThesaurusDocument(Document):
    """The whole file; ``attributes`` maps category to value to its synonyms."""

    version: int = Field(ge=1, le=1)
    attributes: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    packages: frozenset[str] = frozenset()
    portions: frozenset[str] = frozenset()
    things: dict[str, Entry]


@cache
def shipped_entries() -> ThesaurusDocument:
    """The thesaurus that comes with this package.

    Raises:
        InvalidDocument: If the shipped file is not valid.
    """
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return parse_document(ThesaurusDocument, yaml.load(text, Loader=loader), _FILE)
