"""What a model wrote, made safe to keep: plain text, and arguments that every JSON reader takes alike."""

import json
import math
import re
from collections.abc import Iterator

from openral_core.errors import OpenRALError

MAX_DEPTH = 32
"""Nesting of arguments; no tool needs more than three levels."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class UnreadableArguments(OpenRALError):
    """Words that are no JSON object, or one that not every reader takes alike."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the arguments are no usable JSON object: {problem}")


def plain(text: str, limit: int = 1000) -> str:
    """At most ``limit`` characters, without lone surrogates and control characters.

    No wire, file or terminal takes the former, and the latter steer a terminal.
    """
    return _CONTROL.sub("?", text[:limit].encode(errors="replace").decode())


def read_arguments(words: str) -> dict[str, object]:
    """A JSON object without NaN, infinities, repeated keys, lone surrogates or control characters.

    Raises:
        UnreadableArguments: Naming what is wrong.
    """
    try:
        content = json.loads(
            words or "{}", parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError) as error:
        raise UnreadableArguments(str(error)) from error
    if not isinstance(content, dict):
        raise UnreadableArguments(f"it is a {type(content).__name__}, not an object")
    for text in _texts(content, MAX_DEPTH):
        if _CONTROL.search(text) or plain(text, len(text)) != text:
            raise UnreadableArguments(f"{text[:40]!a} has a character that is no text")
    return content


def _refuse(constant: str) -> float:
    raise UnreadableArguments(f"{constant} is no number of JSON")


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise UnreadableArguments(f"{number[:20]} is too large")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content: dict[str, object] = {}
    for key, value in pairs:
        if key in content:
            raise UnreadableArguments(f"the key {key[:40]!a} is given twice")
        content[key] = value
    return content


def _texts(content: object, depth: int) -> Iterator[str]:
    if depth < 0:
        raise UnreadableArguments(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from content
        for value in content.values():
            yield from _texts(value, depth - 1)
    elif isinstance(content, list):
        for value in content:
            yield from _texts(value, depth - 1)
