"""Lists of noun phrases, and the numbers in front of them."""

import re
from dataclasses import dataclass
from functools import cached_property

from openral_reasoner.sentences.language import Words
from openral_reasoner.sentences.words import PAUSE, Phrase, Phrases

MAX_COUNT = 12
"""Largest number of objects in one goal; the budget of a mission ends before more are fetched."""
EVERY = -1
"""Count of all objects of a kind."""
_NUMBER = re.compile(r"(\d{1,3})x?")


@dataclass(frozen=True)
class NounLists:
    """Splitter of lists, and reader of numbers, in one language."""

    words: Words

    @cached_property
    def _numbers(self) -> Phrases:
        return Phrases({phrase: str(number) for phrase, number in self.words.numbers.items()})

    def _items(self, tokens: Phrase) -> list[Phrase]:
        """Split a list at commas and conjunctions, but not within one name."""
        items: list[list[str]] = [[]]
        start, open_pair = 0, 0
        while start < len(tokens):
            separator = (1, "") if tokens[start] == PAUSE else self.words.separators.at(tokens, start)
            if self.words.between.at(tokens, start):
                open_pair += 1
            if separator and open_pair:
                open_pair -= 1
            elif separator and not self._joins_name(tuple(items[-1]), tokens, start + separator[0]):
                items.append([])
                start += separator[0]
                continue
            count = separator[0] if separator else 1
            items[-1] += tokens[start : start + count]
            start += count
        return [tuple(item) for item in items if item]

    def _joins_name(self, before: Phrase, tokens: Phrase, after: int) -> bool:
        """Return True for the conjunction in "yellow and white mug" and in "salt and pepper mill"."""
        counted = self._counted(before)
        last = (counted[1] if counted else before)[-1:]
        if tokens[after - 1] == PAUSE or not last or after >= len(tokens):
            return False
        described = all(
            word.lower() in self.words.attributes for word in (*(counted or (0, before))[1], tokens[after])
        )
        paired = (*last, *tokens[after : after + 1]) in self.words.pairs
        rest = tokens[after + 1 : after + 2]
        return (
            (described or paired)
            and bool(rest)
            and rest[0] != PAUSE
            and not self.words.separators.at(rest, 0)
        )

    def _counted(self, tokens: Phrase) -> tuple[int, Phrase] | None:
        """Return the number that a phrase states, 1 if none, and the phrase without its determiners.

        None for a number beyond what one goal brings, and for two: "two of the five cables".
        """
        count, start, numbers = 1, 0, 0
        while start < len(tokens) - 1:
            number = self._number(tokens, start)
            if number is not None:
                count = number[1]
                numbers += 1
                if count == 0 or count > MAX_COUNT or numbers > 1:
                    return None
                start += number[0]
            elif phrase := self.words.every.at(tokens, start):
                count = EVERY
                start += phrase[0]
            elif phrase := self.words.determiners.at(tokens, start):
                start += phrase[0]
            else:
                break
        return (count, tokens[start:]) if tokens else None

    def _number(self, tokens: Phrase, start: int) -> tuple[int, int] | None:
        digits = _NUMBER.fullmatch(tokens[start])
        if digits:
            return 1, int(digits[1])
        numeral = self._numbers.at(tokens, start)
        return (numeral[0], int(numeral[1])) if numeral else None
