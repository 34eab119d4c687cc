"""Reader of every YAML and JSON text that comes from outside, bounded before it is unfolded.

A text has a largest size, a largest depth, and aliases that repeat little; its integers fit into 64 bits, so
that nothing of it breaks where it is used. Models check what YAML calls ``.nan`` and ``.inf``, by key.
"""

import json
import math
import re

import yaml

from openral_core.errors import OpenRALError, quoted

MAX_YAML, MAX_JSON = 4_000_000, 64_000_000
"""Longest text [characters]; some seconds of parsing."""
MAX_DEPTH = 100
"""Levels of lists and mappings; what people write has ten."""
MAX_REPEATED = 100_000
"""Most that the aliases of a YAML document may repeat [characters and nodes]."""
MAX_BITS, MAX_DIGITS = 64, 20
"""Size of an integer, and its digits with a sign."""
_PARSED_DEPTH = 1_000
"""Levels at which libyaml is not even begun: it overflows the stack of the process at some 50,000."""
_BRACKETS = re.compile(r"[\[\]{}]")
_NESTED_BLOCKS = re.compile(rf"(?:[-?:][ \t]++){{{_PARSED_DEPTH}}}+|^ {{{_PARSED_DEPTH}}}", re.MULTILINE)
_JSON_PARTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


class InvalidText(OpenRALError, ValueError):
    """A text that is not YAML or JSON, or unfolds beyond what is read."""


def parse_yaml(text: str, most: int = MAX_YAML) -> object:
    """Parse YAML of at most ``most`` characters.

    By libyaml where PyYAML was built with it: the parser in Python needs 0.3 s for a scene.

    Raises:
        InvalidText: If it is none, or exceeds the bounds of this module.
    """
    _check_size(text, most)
    if _depth(_BRACKETS, text) > _PARSED_DEPTH or _NESTED_BLOCKS.search(text):
        raise _too_deep()
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            _check_nodes(root)
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        raise error if isinstance(error, InvalidText) else InvalidText(str(error)) from error


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # chosen when imported
    """Safe loader whose integers fit into 64 bits."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        value = 0 if len(node.value) > MAX_BITS else int(super().construct_yaml_int(node))
        if len(node.value) > MAX_BITS or value.bit_length() > MAX_BITS:
            raise InvalidText(f"an integer of {len(node.value)} characters")
        return value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def _check_nodes(root: yaml.Node) -> None:
    """Measure the document as if every alias were written out, without doing so; each node once.

    Raises:
        InvalidText: If it contains itself, is too deep, or repeats too much.
    """
    measured: dict[int, tuple[int, int]] = {}  # (size unfolded, levels) by node
    begun: set[int] = set()
    written, pending = 0, [root]
    while pending:
        node = pending[-1]
        if id(node) in measured:
            pending.pop()
            continue
        parts = _parts(node)
        if id(node) not in begun:
            begun.add(id(node))
            written += len(node.value) if isinstance(node.value, str) else 1
            for part in parts:
                if id(part) in begun and id(part) not in measured:  # on the way here
                    raise InvalidText("an alias refers to what contains it")
            pending += parts
            continue
        pending.pop()
        sizes = [measured[id(part)] for part in parts]
        own = len(node.value) if isinstance(node.value, str) else 1
        size, levels = own + sum(each[0] for each in sizes), 1 + max((each[1] for each in sizes), default=0)
        if levels > MAX_DEPTH:
            raise _too_deep()
        measured[id(node)] = size, levels
    if measured[id(root)][0] - written > MAX_REPEATED:
        raise InvalidText("its aliases (*name) repeat too much: write out what they stand for")


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def parse_json(
    text: str | bytes, most: int = MAX_JSON, *, finite: bool = True, unique: bool = False
) -> object:
    """Parse JSON of at most ``most`` characters.

    Args:
        text: In UTF-8, if it is bytes; a byte order mark is left out.
        finite: Refuse NaN and infinities; recordings of our own have them.
        unique: Refuse repeated keys, which parsers read differently.

    Raises:
        InvalidText: If it is none, or exceeds the bounds of this module.
    """
    _check_size(text, most)
    try:
        words = (text if isinstance(text, str) else text.decode()).removeprefix("\ufeff")
        if _depth(_JSON_PARTS, words) > MAX_DEPTH:
            raise _too_deep()
        constant = _refuse if finite else float
        real = _finite if finite else None
        value: object = json.loads(
            words,
            parse_int=_integer,
            parse_float=real,
            parse_constant=constant,
            object_pairs_hook=_unique if unique else None,
        )
        if "\\ud" in words or "\\uD" in words:
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate cannot be encoded
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, InvalidText) else InvalidText(_reason(error)) from error
    return value


def _reason(error: ValueError | RecursionError) -> str:
    return "it contains half a surrogate" if isinstance(error, UnicodeEncodeError) else str(error)


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidText(f"an integer of {len(digits)} characters")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InvalidText(f"{quoted(digits)} is too large")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content: dict[str, object] = {}
    for key, value in pairs:
        if key in content:
            raise InvalidText(f"duplicate key {quoted(key)}")
        content[key] = value
    return content


def _refuse(constant: str) -> float:
    raise InvalidText(f"{constant} is not a JSON number")


def _depth(pattern: re.Pattern[str], text: str) -> int:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for bracket in pattern.finditer(text):
        if bracket[0] in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif bracket[0] in ("]", "}"):
            depth = max(0, depth - 1)
    return deepest


def _check_size(text: str | bytes, most: int) -> None:
    if len(text) > most:
        raise InvalidText(f"it is longer than {most} characters")


def _too_deep() -> InvalidText:
    return InvalidText(f"it is nested too deeply: more than {MAX_DEPTH} levels")
