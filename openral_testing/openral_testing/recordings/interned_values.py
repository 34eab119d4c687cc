"""Reader of the values that `openral_reasoner.interning` writes."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from openral_core.errors import OpenRALError
from openral_reasoner.interning import JOINED, MARK, MARKED, PLAIN

TEXT = 100
"""Characters of a text that count as one value more."""
MOST_IN_ONE, MOST_IN_ALL = 2_000_000, 50_000_000
"""Values that one line, and the lines of one life, unfold to; a scene graph of 20,000 objects has 900,000."""
MAX_LEVELS = 100
"""Levels of lists and mappings."""


class UnknownMark(OpenRALError):
    """Reference to a value that no earlier line defines."""

    def __init__(self, number: object) -> None:
        super().__init__(f"value number {number!r} is not defined by any earlier line")


class TooMuch(OpenRALError):
    """Lines whose references unfold to more than is read."""

    def __init__(self, what: str, most: int) -> None:
        super().__init__(f"its references unfold to more than {most} {what}")


class _Unfolded(NamedTuple):
    """Value without references, the number of values in it, and the levels of them."""

    value: object
    size: int
    levels: int


class Outliner:
    """Reader of interned values; measures what they unfold to, because a copy pays for it."""

    def __init__(self) -> None:
        self._values: dict[int, _Unfolded] = {}
        self._size = 0

    def forget(self) -> None:
        """Forget every value, as the writer did."""
        self._values.clear()

    def value(self, content: object) -> object:
        """Resolve the references in a value.

        Raises:
            UnknownMark: If it refers to an undefined value.
            TooMuch: If it, or all values so far, unfold beyond what is read.
        """
        unfolded = self._unfolded(content)
        self._size += unfolded.size
        if self._size > MOST_IN_ALL:
            raise TooMuch("values in all", MOST_IN_ALL)
        return unfolded.value

    def _unfolded(self, content: object) -> _Unfolded:
        if isinstance(content, list):
            parts = [self._unfolded(each) for each in content]
            return _whole([each.value for each in parts], parts)
        if not isinstance(content, dict):
            return _Unfolded(content, 1 + (len(content) // TEXT if isinstance(content, str) else 0), 1)
        if MARK in content:
            return self._of_mark(content)
        named = {key: self._unfolded(each) for key, each in content.items()}
        return _whole({key: each.value for key, each in named.items()}, named.values())

    def _of_mark(self, content: Mapping[str, object]) -> _Unfolded:
        number = content[MARK]
        if not isinstance(number, int):
            raise UnknownMark(number)
        if JOINED in content:
            lists = self._unfolded(content[JOINED])
            joined = (
                [each for part in lists.value for each in part] if isinstance(lists.value, list) else None
            )
            return lists if joined is None else lists._replace(value=joined)
        if PLAIN not in content and MARKED not in content:
            if number not in self._values:
                raise UnknownMark(number)
            return self._values[number]
        unfolded = _plain(content[PLAIN]) if PLAIN in content else self._unfolded(content[MARKED])
        if number > 0:
            self._values[number] = unfolded
        return unfolded


def _whole(value: object, parts: Collection[_Unfolded]) -> _Unfolded:
    size = 1 + sum(each.size for each in parts)
    levels = 1 + max((each.levels for each in parts), default=0)
    if size > MOST_IN_ONE:
        raise TooMuch("values in one line", MOST_IN_ONE)
    if levels > MAX_LEVELS:
        raise TooMuch("levels", MAX_LEVELS)
    return _Unfolded(value, size, levels)


def _plain(value: object) -> _Unfolded:
    """Measure a value without references."""
    if isinstance(value, list | dict):
        return _whole(
            value, [_plain(each) for each in (value if isinstance(value, list) else value.values())]
        )
    return _Unfolded(value, 1 + (len(value) // TEXT if isinstance(value, str) else 0), 1)
