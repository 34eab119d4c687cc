"""Requests as plain values for messages and recordings, and back."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Annotated, get_args, get_type_hints

from pydantic import PlainSerializer, PlainValidator

from openral_reasoner.request.goals import Act, Forbidden, NotUnderstood, Request

VERSION = 2
"""Version of the statement; a recording of another one is explained, not replayed."""
_KIND = "kind"
_KINDS: Mapping[str, type] = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in get_args(Request)
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_FORBIDDEN = {"act", "what"}


def to_plain(request: Request) -> dict[str, object]:
    """Return a request as JSON values: its kind and the slots that are said."""
    slots = ((each, getattr(request, each.name)) for each in fields(request))
    own = {each.name: _value_to_plain(value) for each, value in slots if value != each.default}
    return {_KIND: _NAMES[type(request)], **own}


def _value_to_plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_value_to_plain(each) for each in value]
    if isinstance(value, Forbidden):
        return {"act": value.act.value, "what": value.what}
    return to_plain(value) if isinstance(value, Request) else value


def from_plain(content: object) -> Request:
    """Return the request that `to_plain` wrote.

    Raises:
        ValueError: If the content is no request; says what was found.
    """
    if isinstance(content, Request):
        return content
    kind = _KINDS.get(str(content.get(_KIND))) if isinstance(content, Mapping) else None
    if kind is None or not isinstance(content, Mapping):
        raise ValueError(f"no request: {str(content)[:100]!r}; 'kind' is one of {', '.join(_KINDS)}")
    slots = {name: _value_from_plain(value) for name, value in content.items() if name != _KIND}
    wrong = [name for name, value in slots.items() if not _fits(kind, name, value)]
    if wrong:
        raise ValueError(f"{content[_KIND]} has no slot of this type: {', '.join(wrong)[:100]}")
    try:
        request: Request = kind(**slots)
    except TypeError as error:
        raise ValueError(f"{content[_KIND]} is not complete: {error}") from error
    return request


def _value_from_plain(value: object) -> object:
    if isinstance(value, list):
        return tuple(map(_value_from_plain, value))
    if not isinstance(value, Mapping):
        return value
    if value.keys() == _FORBIDDEN:
        return Forbidden(Act(value["act"]), str(value["what"]))
    return from_plain(value)


def _fits(kind: type, name: str, value: object) -> bool:
    """Return True if a kind of request has a slot, and the value is of its type."""
    hint = _hints(kind).get(name)
    if hint in (str, int, bool):
        return type(value) is hint
    parts = value if isinstance(value, tuple) else (value,)
    return hint is not None and all(isinstance(part, Request | Forbidden | None) for part in parts)


@cache
def _hints(kind: type) -> Mapping[str, object]:
    return get_type_hints(kind)


def to_json(request: Request) -> str:
    """Return a request as a versioned JSON object; "" if it is not understood."""
    if isinstance(request, NotUnderstood):
        return ""
    return json.dumps({"version": VERSION, **to_plain(request)}, separators=(",", ":"))


StatedRequest = Annotated[Request, PlainSerializer(to_plain), PlainValidator(from_plain)]
"""Request as a field of a recorded model."""
