"""Sanitise model output: plain text, and arguments that every JSON parser reads identically."""

import json
import math
import re
from collections.abc import Iterator

from openral_core.errors import OpenRALError

MAX_DEPTH = 32
"""Maximum nesting of arguments [levels]; no tool needs more than three."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class UnreadableArguments(OpenRALError):
    """Arguments that are not a JSON object, or one that parsers read differently."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the arguments are not a usable JSON object: {problem}")


def plain(text: str, limit: int = 1000) -> str:
    """Return at most ``limit`` characters, without lone surrogates and control characters.

    The former cannot be encoded, and the latter can control a terminal.
    """
    return _CONTROL.sub("?", text[:limit].encode(errors="replace").decode())


def read_arguments(text: str) -> dict[str, object]:
    """Parse a JSON object without NaN, infinities, repeated keys, lone surrogates or control characters.

    Raises:
        UnreadableArguments: With the problem.
    """
    try:
        content = json.loads(
            text or "{}", parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError) as error:
        raise UnreadableArguments(str(error)) from error
    if not isinstance(content, dict):
        raise UnreadableArguments(f"it is a {type(content).__name__}, not an object")
    for part in _texts(content, MAX_DEPTH):
        if _CONTROL.search(part) or plain(part, len(part)) != part:
            raise UnreadableArguments(f"{part[:40]!a} contains a control character or lone surrogate")
    return content


def _refuse(constant: str) -> float:
    raise UnreadableArguments(f"{constant} is not a JSON number")


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise UnreadableArguments(f"{number[:20]} is too large")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content: dict[str, object] = {}
    for key, value in pairs:
        if key in content:
            raise UnreadableArguments(f"duplicate key {key[:40]!a}")
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
