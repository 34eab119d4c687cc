"""A tool's arguments as JSON schema, with the ids of the live palette as enums.

An endpoint that decodes by schema can then write no id that does not exist. What is checked of a call does
not rest on that: `Tool.check` refuses other ids whatever the schema says.
"""

import json
import re
from functools import cache

from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import Tool

MAX_IDS = 100
"""Ids of one enum, and"""
MAX_CHARACTERS = 4_000
"""characters of one enum, about 1,000 tokens with every decision. Beyond either the argument stays a string.

Both stay below what endpoints take in strict mode (250 values, then 15,000 characters).
"""
_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{0,64}")
"""A schema is not fenced as data: an id that could be a sentence of somebody keeps its argument a string."""


def parameters(tool: type[Tool], palette: ToolPalette, known: tuple[str, ...]) -> str:
    """The schema of a tool's arguments, in JSON; ``known`` are ids that this mission has learnt."""
    schema = json.loads(_parameters(tool))
    for name, ids in tool.ids(palette, known).items():
        distinct = list(dict.fromkeys(ids))
        if _fit(distinct):
            described = schema["properties"][name]
            described.pop("maxLength", None)
            described["enum"] = distinct
    for name, properties in tool.named(palette).items():
        if properties:
            schema["properties"][name] |= {"properties": properties, "additionalProperties": False}
        else:
            del schema["properties"][name]
    return json.dumps(schema)


def _fit(ids: list[str]) -> bool:
    """Whether they can stand in a schema."""
    few = 0 < len(ids) <= MAX_IDS and sum(map(len, ids)) <= MAX_CHARACTERS
    return few and all(_PLAIN.fullmatch(each) for each in ids)


@cache
def _parameters(tool: type[Tool]) -> str:
    schema = dict(tool.model_json_schema())
    fields = {k: dict(v) for k, v in schema["properties"].items() if k != "tool"}
    for described in fields.values():
        described.pop("title", None)
    schema["properties"] = fields
    schema.pop("description", None)
    schema.pop("title", None)
    return json.dumps(schema)
