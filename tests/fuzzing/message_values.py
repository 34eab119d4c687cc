"""Hypothesis strategies for messages of any type, derived from the definition of the type alone.

A case is either made from nothing, or a message that the node has accepted with up to four fields changed:
the first kind finds missing checks at the door, the second gets behind it.
"""

import re
import struct
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Literal

from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message

Path = tuple[str | int, ...]
LONG, MANY = 1_000_000, 500
"""Length of the longest text [characters] and of the longest sequence [elements]."""
BULK = 4_000_000
"""Size of the longest repetition of one element [bytes]: 500 parameters of 1 MB test no node."""
LEAVES = 400
"""Fields of a template that may be changed; bounds the time per case."""
FLOATS = (
    0.0,
    -0.0,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e-300,
    3e38,
    -3e38,
    1e308,
    1.0,
    -1.0,
    1e-9,
    1e9,
)
TEXTS = (
    "", " ", "\x00", "a\x00b", "\n", "?", "%", "/", "..", "../../etc/passwd", "/etc/passwd", "file:///etc/passwd",
    "\u202egnp.exe", "\x1b[31mred\x1b[0m", "[/mug]", "{0}", "%s", "null", "NaN", "true", "-1", "me", "map",
    "map/../map", "x" * 300, "\U0001f956", "\u0130\u0131", "\ufffd", "e\u0301" * 40, "' OR 1=1 --", "{'a': [",
    "</data>", "00-" + "f" * 32 + "-" + "f" * 16 + "-01",
)  # fmt: skip
LONG_TEXTS = ("y" * 5_000, "z" * LONG)
ENCODINGS = (
    "rgb8", "bgr8", "rgba8", "bgra8", "mono8", "mono16", "8UC1", "8UC3", "16UC1", "32FC1", "64FC1",
    "yuv422_yuy2", "uyvy", "nv21", "bayer_rggb8", "bayer_gbrg16", "32SC4", "8UC-1", "png", "jpeg",
    "rgb8; jpeg compressed bgr8", "16UC1; compressedDepth png", "plumb_bob", "equidistant", "fisheye",
    "rational_polynomial", "thin_prism",
)  # fmt: skip


def _png(width: int, height: int) -> bytes:
    """Return a PNG whose header promises far more pixels than it has."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 64)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


BYTES = (
    b"", b"\0", b"\xff" * 7, b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"GIF89a\xff\xff\xff\xff",
    b"RIFF\0\0\0\0WEBP", _png(40_000, 40_000), _png(0, 0), _png(16_383, 16_383), _png(2, 2)[:30],
    b"\0" * 100_000,
)  # fmt: skip


@dataclass(frozen=True)
class Vocabulary:
    """Words that the graph under test knows, such as frames and ids, and its clock [s].

    Strategies are cached by it: one session has one.
    """

    words: tuple[str, ...] = ()
    clock: Callable[[], float] = float


def cases(message_type: Any, vocabulary: Vocabulary, template: Any = None) -> st.SearchStrategy[Any]:
    """Return messages of a type; ``template`` is one that the node has accepted."""
    fresh = messages(message_type, vocabulary)
    if template is None:
        return fresh
    return st.one_of(fresh, mutations(template, vocabulary), mutations(template, vocabulary))


@lru_cache(maxsize=512)
def messages(message_type: Any, vocabulary: Vocabulary, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return messages made from nothing."""
    fields = message_type.get_fields_and_field_types()
    parts = {name: values(kind, message_type, vocabulary, depth) for name, kind in fields.items()}
    if set(parts) == {"sec", "nanosec"}:
        return st.one_of(_stamps(message_type, vocabulary), _built(message_type, parts))
    return _built(message_type, parts)


def mutations(template: Any, vocabulary: Vocabulary) -> st.SearchStrategy[Any]:
    """Return copies of a message with up to four fields changed."""
    paths = list(_leaves(template))[:LEAVES]
    if not paths:
        return st.just(template)
    change = st.sampled_from(paths).flatmap(lambda leaf: _change(leaf, vocabulary))
    raw = serialize_message(template)

    def apply(changes: list[tuple[Path, Any]]) -> Any:
        copy = deserialize_message(raw, type(template))
        for path, value in changes:
            _put(copy, path, value)
        return copy

    return st.lists(change, min_size=1, max_size=4).map(apply)


@lru_cache(maxsize=4096)
def values(kind: str, owner: Any, vocabulary: Vocabulary, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return values of one field type, such as ``sequence<double, 36>``; ``owner`` is the message's type."""
    if match := re.fullmatch(r"sequence<([^,>]+)(?:, (\d+))?>", kind):
        return _sequences(match[1], int(match[2]) if match[2] else MANY, owner, vocabulary, depth)
    if match := re.fullmatch(r"(.+)\[(\d+)\]", kind):
        return _arrays(match[1], int(match[2]), owner, vocabulary, depth)
    if "/" in kind:
        return messages(nested_type(kind), vocabulary, depth + 1)
    if "string" in kind:
        return _texts(vocabulary, int(bound[1]) if (bound := re.search(r"<(\d+)>", kind)) else LONG)
    return _SCALARS[kind] if kind in _SCALARS else _integers(kind, owner)


def nested_type(kind: str) -> Any:
    """Return the class of a field type such as ``std_msgs/Header``."""
    package, name = kind.split("/")
    return getattr(import_module(f"{package}.msg"), name)


def words_of(message: Any) -> Iterator[str]:
    """Yield every short text of a message, for the vocabulary."""
    for path, _, _ in _leaves(message):
        value = _get(message, path)
        if isinstance(value, str) and 0 < len(value) < 80:
            yield value


def _floats(width: Literal[32, 64], limit: float) -> st.SearchStrategy[float]:
    known = [value for value in FLOATS if not limit < abs(value) < float("inf")]
    return st.one_of(st.sampled_from(known), st.floats(width=width))


_SCALARS: Mapping[str, st.SearchStrategy[Any]] = {
    "float": _floats(32, 3e38),
    "double": _floats(64, float("inf")),
    "boolean": st.booleans(),
    "octet": st.binary(min_size=1, max_size=1),
}


def _built(message_type: Any, parts: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(parts).map(lambda fields: message_type(**fields))


def _stamps(stamp: Any, vocabulary: Vocabulary) -> st.SearchStrategy[Any]:
    ages = (0.0, 0.1, -0.1, 1.0, 5.0, -5.0, 60.0, -3600.0)

    def aged(age: float) -> Any:
        t = min(max(vocabulary.clock() - age, 0.0), 2.0**31 - 1.0)
        return stamp(sec=int(t), nanosec=int(t % 1.0 * 1e9))

    return st.sampled_from((*ages, -(2.0**31))).map(aged)


def _texts(vocabulary: Vocabulary, limit: int) -> st.SearchStrategy[str]:
    known = [*vocabulary.words, *ENCODINGS]
    free = st.text(max_size=30)
    rare = st.sampled_from([*TEXTS * 3, *LONG_TEXTS])
    return st.one_of(st.sampled_from(known), rare, free).map(lambda text: text[:limit])


def _integers(kind: str, owner: Any) -> st.SearchStrategy[int]:
    bits = int(kind.removeprefix("u").removeprefix("int"))
    low, high = (0, 2**bits - 1) if kind.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    named = (getattr(owner, name) for name in dir(owner) if name.isupper())
    constants = [value for value in named if isinstance(value, int) and low <= value <= high]
    known = sorted({low, high, 1, *constants, *(c + 1 for c in constants if c < high)})
    return st.one_of(st.sampled_from(known), st.integers(low, min(high, 64)), st.integers(low, high))


def _sequences(
    inner: str, limit: int, owner: Any, vocabulary: Vocabulary, depth: int
) -> st.SearchStrategy[Any]:
    if inner == "uint8":
        return st.one_of(st.sampled_from(BYTES), st.binary(max_size=64)).map(lambda b: array("B", b[:limit]))
    if inner == "octet":
        return st.lists(st.binary(min_size=1, max_size=1), max_size=4)
    elements = values(inner, owner, vocabulary, depth)
    nested = "/" in inner
    some = st.lists(elements, max_size=min(limit, 2 if nested and depth else 4))
    many = min(limit, 8 if depth or "string" in inner else MANY)
    repeated = st.tuples(elements, st.integers(0, many)).map(
        lambda p: [p[0]] * min(p[1], BULK // _size(p[0]))
    )
    return st.one_of(some, some, repeated)


def _size(element: Any) -> int:
    """Return about how many bytes an element takes on the wire."""
    if hasattr(element, "get_fields_and_field_types"):
        return len(serialize_message(element))
    return len(element) + 1 if isinstance(element, str) else 8


def _arrays(
    inner: str, length: int, owner: Any, vocabulary: Vocabulary, depth: int
) -> st.SearchStrategy[Any]:
    elements = values(inner, owner, vocabulary, depth)
    alike = elements.map(lambda value: [value] * length)
    return st.one_of(alike, st.lists(elements, min_size=length, max_size=length))


def _change(leaf: tuple[Path, str, Any], vocabulary: Vocabulary) -> st.SearchStrategy[tuple[Path, Any]]:
    path, kind, owner = leaf
    return st.tuples(st.just(path), values(kind, owner, vocabulary, len(path)))


def _leaves(message: Any, path: Path = ()) -> Iterator[tuple[Path, str, Any]]:
    """Yield path, field type and owner of every field, sequences as a whole and their first elements."""
    for name, kind in message.get_fields_and_field_types().items():
        value, here = getattr(message, name), (*path, name)
        if "/" in kind and not kind.startswith("sequence<") and not kind.endswith("]"):
            yield from _leaves(value, here)
            if "Time" in kind:
                yield here, kind, type(message)
            continue
        yield here, kind, type(message)
        if "/" in kind and isinstance(value, Sequence):
            for index, element in enumerate(value[:3]):
                yield from _leaves(element, (*here, index))


def _get(message: Any, path: Path) -> Any:
    for step in path:
        message = message[step] if isinstance(step, int) else getattr(message, step)
    return message


def _put(message: Any, path: Path, value: Any) -> None:
    """Set a field unless an earlier change has taken its place away."""
    for step in path[:-1]:
        if isinstance(step, int) and step >= len(message):
            return
        message = message[step] if isinstance(step, int) else getattr(message, step)
    setattr(message, str(path[-1]), value)
