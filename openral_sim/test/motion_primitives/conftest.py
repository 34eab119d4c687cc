from collections.abc import Callable, Generator
from typing import TypeVar

import pytest

from openral_core.skills import Feedback

_T = TypeVar("_T")
Play = Callable[[Generator[Feedback, None, _T]], _T]


@pytest.fixture
def play(wait: Callable[[int], None]) -> Play[object]:
    """``play(move)``: run part of a skill to its end, stepping physics once per yield."""

    def to_the_end(move: Generator[Feedback, None, _T]) -> _T:
        while True:
            try:
                next(move)
            except StopIteration as end:
                result: _T = end.value
                return result
            wait(1)

    return to_the_end
