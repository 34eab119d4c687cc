"""Templates of one language: which of them cover a clause entirely, by the matcher of hassil.

Only templates that can begin and end with the first and the last word of a clause, and whose other words
occur in it, are matched.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from hassil import Intents
from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    Permutation,
    RuleReference,
    TextChunk,
)
from hassil.expression import Sentence as Template
from hassil.intents import SlotList, TextSlotList
from hassil.models import MatchEntity
from hassil.string_matcher import MatchContext, MatchSettings, match_expression

from openral_reasoner.sentences.words import PAUSE, fold, unaccented

_PAUSE = "\u01c0"
"""Letter that stands for the pause in texts and templates: hassil finds words by their letters."""
MAX_WORDS = 32
"""Longest clause that is matched [words]; conditions with both their branches are shorter."""
MAX_WAYS = 100
"""Most ways in which one template is matched to one clause."""
_ANY = ""
"""Edge word of a template that begins or ends with a slot of any words."""
_NONE = "\0"
"""Edge word of an expression that may be left out."""


@dataclass(frozen=True, slots=True)
class Match:
    """A template that covers a clause: its intent, the words of its slots, and its weight.

    The weight is the number of letters that the template itself states.
    """

    intent: str
    slots: Mapping[str, str]
    weight: int


@dataclass(frozen=True, slots=True)
class _Indexed:
    """A template with the words with which it may begin and end."""

    intent: str
    template: Template
    first: frozenset[str]
    last: frozenset[str]


class Templates:
    """Templates of one language in the format of hassil.

    Args:
        intents: Templates by intent.
        rules: Parts of templates by name.
        lists: Slots by name.
    """

    def __init__(
        self, intents: Mapping[str, Sequence[str]], rules: Mapping[str, str], lists: Mapping[str, object]
    ) -> None:
        self.texts = (*rules.values(), *(text for texts in intents.values() for text in texts))
        self._source = {
            "language": "",
            "intents": {name: {"data": [{"sentences": _plain(texts)}]} for name, texts in intents.items()},
            "expansion_rules": _plain(rules),
            "lists": _plain(lists),
        }

    @cached_property
    def _intents(self) -> Intents:
        return Intents.from_dict(self._source)

    @cached_property
    def _settings(self) -> MatchSettings:
        return MatchSettings(
            slot_lists=self._intents.slot_lists, expansion_rules=self._intents.expansion_rules
        )

    @cached_property
    def _by_first(self) -> Mapping[str, tuple[_Indexed, ...]]:
        by_first: dict[str, list[_Indexed]] = {}
        edges = _Edges(self._intents.slot_lists, self._intents.expansion_rules)
        for name, intent in self._intents.intents.items():
            for template in (template for data in intent.data for template in data.sentences):
                indexed = _Indexed(
                    name, template, edges.of(template.expression), edges.of(template.expression, last=True)
                )
                for word in indexed.first:
                    by_first.setdefault(word, []).append(indexed)
        return {word: tuple(each) for word, each in by_first.items()}

    def matches(self, clause: str, intents: Collection[str]) -> tuple[Match, ...]:
        """Return every way in which a template of these intents covers a clause."""
        spelt = {unaccented(word): word for word in clause.split()}
        text = unaccented(clause).replace(PAUSE, _PAUSE)
        covering = (
            match for each in self._candidates(text, intents) for match in self._matched(each, text, spelt)
        )
        return tuple(
            {(match.intent, tuple(sorted(match.slots.items()))): match for match in covering}.values()
        )

    def _candidates(self, text: str, intents: Collection[str]) -> Iterator[_Indexed]:
        words = fold(text).split()
        if not 0 < len(words) <= MAX_WORDS:
            return
        for each in (*self._by_first.get(words[0], ()), *self._by_first.get(_ANY, ())):
            fits = each.intent in intents and not each.last.isdisjoint((words[-1], _ANY))
            if fits and self._has_words(each.template, text.lower()):
                yield each

    def _has_words(self, template: Template, text: str) -> bool:
        required = template.get_required_clauses(self._settings.expansion_rules)
        return all(any(fragment in text for fragment in clause) for clause in required)

    def _matched(self, each: _Indexed, text: str, spelt: Mapping[str, str]) -> Iterator[Match]:
        start = MatchContext(text=f"{text} ", intent_sentence=each.template, original_text=text)
        ways = match_expression(self._settings, start, each.template.expression)
        for context in islice(ways, MAX_WAYS):
            _close(context)
            if context.is_match and _takes_whole_words(context.entities, text):
                slots = {entity.name: _slot_text(entity, spelt) for entity in context.entities}
                free = sum(len(entity.text.strip()) for entity in context.entities if entity.is_wildcard)
                yield Match(each.intent, slots, len(text) - free)


@dataclass(frozen=True, slots=True)
class _Edges:
    """Finder of the words with which expressions begin or end."""

    lists: Mapping[str, SlotList]
    rules: Mapping[str, Template]

    def of(self, expression: Expression, *, last: bool = False) -> frozenset[str]:
        """Return the first words, or the last ones; `_ANY` for any, `_NONE` if it may be empty."""
        if isinstance(expression, TextChunk):
            words = fold(expression.text).split()
            return frozenset((words[-1 if last else 0],)) if words else frozenset((_NONE,))
        if isinstance(expression, RuleReference):
            return self.of(self.rules[expression.rule_name].expression, last=last)
        if isinstance(expression, ListReference):
            return self._of_list(self.lists[expression.list_name], last)
        assert isinstance(expression, Group)
        return self._of_group(expression, last)

    def _of_list(self, values: SlotList, last: bool) -> frozenset[str]:
        if not isinstance(values, TextSlotList):
            return frozenset((_ANY,))
        return frozenset().union(*(self.of(each.text_in, last=last) for each in values.values))

    def _of_group(self, group: Group, last: bool) -> frozenset[str]:
        if isinstance(group, Alternative | Permutation):
            return frozenset().union(*(self.of(item, last=last) for item in group.items))
        words: frozenset[str] = frozenset((_NONE,))
        for item in reversed(group.items) if last else group.items:
            words = (words - {_NONE}) | self.of(item, last=last)
            if _NONE not in words:
                break
        return words


def _close(context: MatchContext) -> None:
    """Give the rest of a text to the slot at the end of a template."""
    rest, entity = context.text.strip(), context.get_open_wildcard()
    if rest and entity is not None:
        entity.text += rest
        entity.is_wildcard_open = False
        if entity.text_span is not None:
            entity.text_span = (entity.text_span[0], entity.text_span[0] + len(entity.text))
        context.text = ""


def _takes_whole_words(entities: Iterable[MatchEntity], text: str) -> bool:
    """Return True if no slot begins or ends inside a word."""
    spans = [each.text_span for each in entities if each.text_span is not None]
    cuts = {index for span in spans for index in span if 0 < index < len(text)}
    return all(text[index - 1].isspace() or text[index].isspace() for index in cuts)


def _slot_text(entity: MatchEntity, spelt: Mapping[str, str]) -> str:
    if not entity.is_wildcard:
        return str(entity.value)
    return " ".join(spelt.get(word, word) for word in entity.text.replace(_PAUSE, PAUSE).split())


def _plain(value: object) -> object:
    """Return templates without accents, and with the letter for pauses."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return unaccented(value).replace(PAUSE, _PAUSE) if isinstance(value, str) else value
