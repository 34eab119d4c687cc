"""JSON schemas of the tools' arguments, with the ids of the current palette as enums.

An endpoint that decodes by schema then cannot produce an id that does not exist. Validation does not rely on
it: `Tool.check` rejects unknown ids in any case.
"""

import json
import re
from functools import cache

from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import Tool

MAX_IDS = 100
"""Maximum number of ids in one enum; strict mode accepts 250. Beyond it the argument stays a string."""
MAX_CHARACTERS = 4_000
"""Maximum length of one enum [characters], about 1,000 tokens per decision; strict mode accepts 15,000."""
_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{0,64}")
"""Ids that may stand in a schema, which is not fenced as data: an id that could be a sentence may not."""


def parameters(tool: type[Tool], palette: ToolPalette, known: tuple[str, ...]) -> str:
    """Return the schema of a tool's arguments as JSON; ``known`` are ids that this mission has learnt."""
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
    """Return True if the ids are few, short and plain enough for an enum."""
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
