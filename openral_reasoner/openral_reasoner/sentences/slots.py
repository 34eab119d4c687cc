"""Slots of a template, resolved: noun phrases, receivers, places and fixtures, with pronouns by context."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from openral_core.consent.hazards import load_hazards
from openral_reasoner.request.goals import Bring, BringEvery, BringFilled, BringSeveral, Request
from openral_reasoner.sentences.context import ME, ClauseReading, Discourse
from openral_reasoner.sentences.kinds import is_person, kinds
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.sentences.noun_lists import EVERY
from openral_reasoner.sentences.noun_phrases import NounPhrase, NounReader
from openral_reasoner.sentences.templates import Match

SOME = 2
"""Number of objects that "some mugs" and "mugs" ask for."""
ReadClause = Callable[[str, Discourse], ClauseReading | None]


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots of one match."""

    match: Match
    nouns: NounReader  # Reader of noun phrases.
    context: Discourse  # What was named before.
    clause: ReadClause  # Reader of a clause inside the clause.
    outer: Callable[[str], ClauseReading | None]  # Reader of a clause that may have no verb.
    text: Callable[[str, Discourse], Request | None]  # Reader of a text of several clauses inside the clause.
    condition: ReadClause  # Reader of a condition.
    placement: Callable[[str], Mapping[str, str] | None]  # Reader of a preposition and a place alone.
    polite: bool  # The speaker said "please".

    def words(self, key: str) -> str:
        """Return the words of a slot, with the determiner that has a slot of its own; "" if it has none."""
        words = self.match.slots.get(key, "")
        determiner = self.match.slots.get(f"{key}_det", "")
        return f"{determiner} {words}".strip()

    def objects(self, key: str = "what") -> tuple[NounPhrase, ...] | None:
        """Return the objects that a slot lists."""
        words = self.words(key)
        if not words:
            return self._referred(NounPhrase(pronoun="it"))
        count = self.nouns.words.numbers.get(words.lower(), 0)
        if count > 1 or self.names_kind(key):
            return self._another(words, count)
        phrases = self.nouns.objects(words)
        if phrases is None or not any(each.pronoun for each in phrases):
            return phrases
        return self._referred(phrases[0]) if len(phrases) == 1 else None

    def _another(self, words: str, count: int) -> tuple[NounPhrase, ...] | None:
        """Return "two" or "the blue one" of what was named before."""
        if len(self.context.objects) != 1:
            return None
        head = self.context.objects[0].split()[-1]
        if count > 1:
            return (NounPhrase(singular(self.context.objects[0]), count=count, where=self.context.source),)
        return self.nouns.objects(f"{words.rpartition(' ')[0]} {head}")

    def _referred(self, phrase: NounPhrase) -> tuple[NounPhrase, ...] | None:
        """Return what a pronoun for objects means."""
        names = self.context.objects
        last = self.context.goals[-1] if self.context.goals else None
        if (
            phrase.pronoun == "them"
            and len(names) == 1
            and isinstance(last, Bring)
            and kinds().is_movable(last.to)
        ):
            names = (*names, last.to) if last.to != ME and not is_person(last.to) else names
        if phrase.pronoun in ("it", "one") and len(names) != 1:
            return None
        if phrase.pronoun not in ("it", "one", "them") or not names:
            return None
        return tuple(NounPhrase(name, name, where=self.context.source, determined=True) for name in names)

    def refers(self, key: str) -> bool:
        """Return True if a slot is a pronoun, or has no words."""
        return self._is_pronoun(self.words(key))

    def refers_to(self, key: str) -> bool:
        """Return True if a slot is a pronoun."""
        return bool(self.words(key)) and self._is_pronoun(self.words(key))

    def names_kind(self, key: str) -> bool:
        """Return True if a slot names a kind by "one": "the green one"."""
        return self.words(key).lower().endswith(f" {self.nouns.words.one}")

    def _is_pronoun(self, words: str) -> bool:
        if words.lower() in self.nouns.words.numbers or words.lower().endswith(f" {self.nouns.words.one}"):
            return True
        return not words or self.nouns.words.pronouns.get(words.lower(), "speaker") != "speaker"

    def names(self, key: str = "what") -> tuple[NounPhrase, ...] | None:
        """Return what a slot lists, movable or not."""
        items = self.nouns.list_of(self.words(key))
        if items is None or any(each.pronoun for each in items):
            return self._referred(items[0]) if items and len(items) == 1 else None
        return items

    def receiver(self, key: str = "to") -> str | None:
        """Return who or what gets an object; the speaker where the slot has no words."""
        words = self.words(key)
        if not words:
            return ME
        pronoun = self.nouns.words.pronouns.get(words.lower())
        if pronoun is not None:
            return self._place_of_pronoun(pronoun) or None
        return self.nouns.place(words) or None

    def _place_of_pronoun(self, pronoun: str) -> str:
        return {
            "speaker": ME,
            "person": self.context.person,
            "place": self.context.place,
            "it": "" if self._is_ambiguous else self.context.container or self.context.place,
            "them": self.context.person,
        }.get(pronoun, "")

    @property
    def _is_ambiguous(self) -> bool:
        """True if "it" as a place may mean what was moved, or where it was put."""
        last = self.context.goals[-1] if self.context.goals else None
        return isinstance(last, Bring | BringSeveral | BringEvery) and last.to != ME

    def place(self, key: str = "where") -> str | None:
        """Return a place; "" where the slot has no words."""
        words = self.words(key)
        pronoun = self.nouns.words.pronouns.get(words.lower()) if words else None
        if pronoun is not None:
            return (self._place_of_pronoun(pronoun) or None) if pronoun in ("place", "it") else None
        return self.nouns.place(words)

    def fixtures(self, key: str = "what") -> tuple[str, ...] | None:
        """Return furniture, doors or containers that a slot lists."""
        words = self.words(key)
        pronoun = self.nouns.words.pronouns.get(words.lower()) if words else "it"
        if pronoun is not None:
            container = self.context.container if pronoun in ("it", "place") else ""
            return (container,) if container else None
        phrases = self.nouns.list_of(words, pauses=False)
        names = [each.name_with_place for each in phrases or () if self._is_fixture(each)]
        return tuple(names) if phrases and len(names) == len(phrases) else None

    def _is_fixture(self, phrase: NounPhrase) -> bool:
        if phrase.where and (not kinds().is_site(phrase.where) or kinds().has("animals", phrase.where)):
            return False
        return not phrase.pronoun and self.nouns.is_tangible(phrase) and self.nouns.is_place(phrase)

    def appliances(self, key: str = "what") -> tuple[NounPhrase, ...]:
        """Return what is switched; nothing if it is no name."""
        phrases = self.nouns.list_of(self.words(key), pauses=False) or ()
        if not any(each.pronoun for each in phrases):
            return phrases
        means = len(phrases) == 1 and phrases[0].pronoun == "it" and self.context.appliance
        return (NounPhrase(self.context.appliance),) if means else ()


def brought(phrase: NounPhrase, to: str, relation: str = "") -> Request | None:
    """Make the goal of one object with its receiver; None if it is not done without a question."""
    hazards, name = load_hazards(), phrase.name
    alone = hazards.of_giving(name, name)  # "the child matches"
    dangerous = alone or hazards.of_giving(name, to) or hazards.of_putting(name, to)
    if dangerous or kinds().has("animals", to) or to in (phrase.name, phrase.where):
        return None
    if phrase.vessel and phrase.count == 1 and not relation and not phrase.where:
        poison = kinds().has("toxic", phrase.contents)
        return None if poison else BringFilled(phrase.vessel, phrase.contents, to)
    plural = phrase.count == 1 and phrase.name == phrase.head and kinds().is_plural(phrase.name)
    if plural and (phrase.partial or not phrase.determined):
        return BringSeveral(singular(phrase.name), SOME, to, phrase.where, relation)
    if plural or phrase.count == EVERY:
        return BringEvery(singular(phrase.name), to, phrase.where, relation)
    if phrase.count > 1:
        return BringSeveral(singular(phrase.name), phrase.count, to, phrase.where, relation)
    return Bring(phrase.name, to, phrase.where, relation)


def all_made(goals: tuple[Request | None, ...]) -> tuple[Request, ...] | None:
    """Return the goals if each could be made."""
    made = tuple(goal for goal in goals if goal is not None)
    return made if made and len(made) == len(goals) else None


def at(phrase: NounPhrase, where: str) -> NounPhrase:
    """Return an object with a stated place, unless it has one."""
    return replace(phrase, where=phrase.where or where)


Table = Mapping[str, Callable[[Slots], ClauseReading | None]]
