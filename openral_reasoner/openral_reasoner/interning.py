"""Interned values of a recording.

A scene graph is read many times and hardly differs, and every status holds all calls so far. Repeated values
are therefore interned: each is written once, and later lines refer to it by number. A value may stand as:

- ``{"@": 7, "=": x}``: the plain value x, which is number 7 from now on;
- ``{"@": 7, "~": x}``: the same, for an x that contains such marks;
- ``{"@": 7}``: that value again;
- ``{"@": 0, "=": x}``: an x that only looks like a mark;
- ``{"@": 0, "+": [x, y]}``: the lists x and y, one after the other.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

MARK, PLAIN, MARKED, JOINED = "@", "=", "~", "+"
SHORT = 160
"""Texts up to this length are repeated [characters]; a mark and its definition take about 30."""
LEAF = 600
"""Mappings up to this length are one value [characters]; longer ones are interned by their parts."""
CHUNK = 32
"""Mean number of elements per part of a long list, so that an insertion changes one part."""
MOST = 200_000
"""Maximum number of values remembered; each takes about 150 bytes."""


class _Text(NamedTuple):
    """Value as written now, and as it will be written from now on."""

    now: str
    later: str


class Interner:
    """Writer of interned values."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    @property
    def is_full(self) -> bool:
        """True if it is time to `forget`."""
        return len(self._numbers) >= MOST

    def forget(self) -> None:
        """Forget every value; the reader must do the same."""
        self._numbers.clear()

    def text(self, value: object) -> str:
        """Return the JSON of a value, with references to values written before."""
        return self._text(value).now

    def _text(self, value: object) -> _Text:
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list):
            parts = [self._text(each) for each in value]
            return self._list(parts) if len(parts) <= 2 * CHUNK else self._long_list(parts)
        return self._plain(json.dumps(value))

    def _mapping(self, value: Mapping[str, object]) -> _Text:
        plain = json.dumps(value, separators=(",", ":"))
        if len(plain) <= LEAF or MARK in value:
            return self._plain(plain)
        parts = [(json.dumps(key), self._text(each)) for key, each in value.items()]
        now = ",".join(f"{key}:{text.now}" for key, text in parts)
        later = ",".join(f"{key}:{text.later}" for key, text in parts)
        return self._marked(_Text(f"{{{now}}}", f"{{{later}}}"), MARKED)

    def _list(self, parts: Sequence[_Text]) -> _Text:
        now, later = (",".join(texts) for texts in (zip(*parts, strict=True) if parts else ("", "")))
        return self._marked(_Text(f"[{now}]", f"[{later}]"), MARKED)

    def _long_list(self, parts: Sequence[_Text]) -> _Text:
        inner = self._list([self._list(chunk) for chunk in _chunks(parts)])
        return _Text(*(f'{{"{MARK}":0,"{JOINED}":{text}}}' for text in inner))

    def _plain(self, text: str) -> _Text:
        if len(text) <= SHORT and f'"{MARK}"' in text:
            wrapped = f'{{"{MARK}":0,"{PLAIN}":{text}}}'
            return _Text(wrapped, wrapped)
        return self._marked(_Text(text, text), PLAIN)

    def _marked(self, text: _Text, kind: str) -> _Text:
        if len(text.later) <= SHORT:
            return text
        digest = blake2b(f"{kind}{text.later}".encode(), digest_size=16).digest()
        number = self._numbers.get(digest)
        if number is not None:
            again = f'{{"{MARK}":{number}}}'
            return _Text(again, again)
        number = self._numbers[digest] = len(self._numbers) + 1
        return _Text(f'{{"{MARK}":{number},"{kind}":{text.now}}}', f'{{"{MARK}":{number}}}')


def _chunks(parts: Sequence[_Text]) -> Iterator[list[_Text]]:
    """Split a list at content-defined positions, which are stable under insertions."""
    chunk: list[_Text] = []
    for part in parts:
        chunk.append(part)
        if crc32(part.later.encode()) % CHUNK == 0:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
