"""Notices that the same call keeps getting the same answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Repetitions:
    """How often each call got the answer it got last."""

    limit: int
    seen: Mapping[_Key, tuple[str, int]] = field(default_factory=dict)

    def after(self, tool: str, arguments: str, answer: str) -> tuple[bool, "Repetitions"]:
        """Whether this makes ``limit`` in all, and the next policy."""
        key = (tool, arguments)
        last, count = self.seen.get(key, ("", 0))
        count = count + 1 if last == answer else 1
        return count >= self.limit, replace(self, seen={**self.seen, key: (answer, count)})
