"""Tool calls assembled from the parts of a stream by what they mean, whatever the habits of an endpoint.

Names come once, split or with every part; arguments in parts, as a whole after them, as an object, or as JSON
within JSON; indices and ids may be absent, equal or new with every part.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from openral_core.parsing import InvalidText, parse_json
from openral_reasoner.context import RawCall

_PREFIX = re.compile(r"(?:functions?|tools?|default_api|multi_tool_use)[.:/]")
_SUFFIX = re.compile(r"(?:<\||:\d+$).*", re.DOTALL)
"""Marks of other formats around a name: ``functions.done:0`` or ``done<|channel|>commentary``."""
_MARKS = re.compile(r"(?:\s|<[^<>]*>|```)*")
_DECODER = json.JSONDecoder()


def read_object(text: str) -> dict[str, object] | None:
    """Read the one JSON object of a text, written once or repeatedly, or as JSON within JSON; else None."""
    try:
        pieces = list(_pieces(text))
    except (ValueError, RecursionError):
        return None
    objects = [each for each in pieces if each] or pieces[:1]
    return objects[0] if objects and all(each == objects[0] for each in objects) else None


def _pieces(text: str) -> Iterator[dict[str, object]]:
    """Yield the objects that a text consists of.

    Raises:
        ValueError: If it holds anything else.
    """
    end = len(_MARKS.match(text)[0])  # type: ignore[index]  # it matches the empty text
    while end < len(text):
        start, end = end, _DECODER.raw_decode(text, end)[1]
        content = parse_json(text[start:end], unique=True)
        content = parse_json(content, unique=True) if isinstance(content, str) else content
        if not isinstance(content, dict):
            raise InvalidText(f"a {type(content).__name__}, not an object")
        yield content
        end = _MARKS.match(text, end).end()  # type: ignore[union-attr]


def without_nulls(arguments: str) -> str:
    """Return arguments as one JSON object without those written as null; malformed ones as they are."""
    content = read_object(arguments) if arguments.strip() else {}
    if content is None:
        return arguments
    present = {key: value for key, value in content.items() if value is not None}
    try:
        unchanged = len(present) == len(content) and json.loads(arguments) == content
    except (ValueError, RecursionError):
        unchanged = False
    return arguments if unchanged else json.dumps(present)


def offered_name(parts: Collection[str], offered: Collection[str]) -> str:
    """Return the offered tool that the parts of a name stand for, else the name as it came."""
    distinct = list(dict.fromkeys(parts))
    names = ["".join(parts), "".join(distinct), *reversed(distinct)]
    for name in names:
        for each in (name, _SUFFIX.sub("", _PREFIX.sub("", name.strip(), count=1))):
            if each in offered:
                return each
    return names[1]


@dataclass
class CallParts:
    """One call as far as it has come; ``extras`` are fields of its own that go back with it."""

    id: str = ""
    names: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    extras: dict[str, object] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """True if the arguments are a whole object."""
        return (
            any(part.strip() for part in self.arguments) and read_object(self.whole_arguments()) is not None
        )

    def whole_arguments(self) -> str:
        """Return the arguments, which may have been repeated as a whole or grown with every part."""
        joined, last = "".join(self.arguments), self.arguments[-1] if self.arguments else ""
        grown = len(self.arguments) > 1 and all(last.startswith(part) for part in self.arguments)
        if grown and read_object(joined) is None and read_object(last) is not None:
            return last
        return joined

    def call(self, offered: Collection[str]) -> RawCall:
        """Return the call, with the name of an offered tool if it stands for one."""
        arguments = without_nulls(self.whole_arguments())
        return RawCall(tool=offered_name(self.names, offered), arguments=arguments or "{}")


@dataclass
class CallAssembler:
    """Calls of one answer, in the order in which they began."""

    calls: list[CallParts] = field(default_factory=list)
    _by_index: dict[int, CallParts] = field(default_factory=dict)

    def add(self, index: int | None, call_id: str, name: str, arguments: str) -> CallParts:
        """Add a part to the call that it continues, or begin one; return that call."""
        call = self._by_index.get(index) if index is not None else self._continued(call_id)
        if call is None or _begins_another(call, call_id, name, arguments):
            call = CallParts(call_id)
            self.calls.append(call)
        if index is not None:
            self._by_index[index] = call
        call.id = call.id or call_id
        if name:
            call.names.append(name)
        if arguments and not (arguments == call.whole_arguments() and call.is_complete):
            call.arguments.append(arguments)
        return call

    def _continued(self, call_id: str) -> CallParts | None:
        same = [call for call in self.calls if call_id and call.id == call_id] or self.calls
        return same[-1] if same else None


def _begins_another(call: CallParts, call_id: str, name: str, arguments: str) -> bool:
    """Return True if a named part is no continuation of a call."""
    if not name:
        return False
    same_name = name in call.names or name == "".join(call.names)
    if call_id and call.id and call_id != call.id:
        return not same_name or call.is_complete
    if not call.is_complete:
        return bool(call.arguments) and not same_name and not name.startswith("".join(call.names))
    return not same_name or (
        bool(arguments.strip())
        and read_object(arguments)
        not in (
            None,
            read_object(call.whole_arguments()),
        )
    )


def as_arguments(value: object) -> str:
    """Return arguments as text, whether they came as text, as an object, or not at all."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, Mapping | list) else ""
