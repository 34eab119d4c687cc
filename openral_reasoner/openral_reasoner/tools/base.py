"""Base class of the tools, and the JSON schemas of their arguments.

The schemas are short, and the same throughout a mission, so that a prompt cache can hold them: they list the
ids of skills, and no id of the home. `Tool.check` rejects unknown ids, and pydantic what is too long.
"""

import json
import re
from abc import abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from openral_core.errors import OpenRALError, format_choices
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette

Outcome = ToolResult | Ending


class InvalidCall(OpenRALError):
    """Tool call that the current palette does not allow; the model can correct it.

    ``advice`` is what the model reads; the rejected value already stands in its own call.
    """

    def __init__(self, what: str, value: str, valid: tuple[str, ...], advice: str = "") -> None:
        self.what = what
        self.valid = valid
        self.advice = advice or f"this {what} is not available now: use one of the valid ones"
        super().__init__(f"invalid {what} {value!r}; valid: {format_choices(valid)}")


class Tool(BaseModel):
    """One action the model may take; the class docstring is its description for the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    brief: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Schemas of arguments that a schema of pydantic would say in too many tokens."""

    only_for: ClassVar[tuple[type, ...]] = ()
    """Kinds of goals that need the tool; () for all."""

    @classmethod
    def offered(cls, palette: ToolPalette) -> bool:
        """Return True if the palette has everything this tool needs."""
        return True

    @classmethod
    def words(cls) -> str:
        """Return the description that the model reads."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def ids(cls, palette: ToolPalette) -> Mapping[str, tuple[str, ...]]:
        """Return the arguments that accept only ids which stay the same during a mission, with those ids."""
        return {}

    @classmethod
    def unused(cls, palette: ToolPalette) -> frozenset[str]:
        """Return the optional arguments that leave nothing to choose now."""
        return frozenset()

    @classmethod
    def named(cls, palette: ToolPalette) -> Mapping[str, Mapping[str, object]]:
        """Return the arguments that are objects, with the schema of each key they accept now."""
        return {}

    def check(self, mission: Mission) -> None:
        """Reject arguments that the palette does not list.

        Raises:
            InvalidCall: With the valid values.
        """

    @abstractmethod
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        """Carry out the call."""


MAX_IDS = 100
"""Maximum number of ids in one enum; strict mode accepts 250. Beyond it the argument stays a string."""
MAX_CHARACTERS = 4_000
"""Maximum length of one enum [characters], about 1,000 tokens per decision; strict mode accepts 15,000."""
_PLAIN = re.compile(r"[A-Za-z0-9_.:/-]{0,64}")
"""Ids that may stand in a schema, which is not fenced as data: an id that could be a sentence may not."""


def parameters(tool: type[Tool], palette: ToolPalette) -> str:
    """Return the schema of a tool's arguments as JSON; it is the same throughout a mission."""
    schema = json.loads(_parameters(tool))
    for name, ids in tool.ids(palette).items():
        if fits_enum(ids):
            schema["properties"][name]["enum"] = list(ids)
    for name, properties in tool.named(palette).items():
        if properties:
            schema["properties"][name]["properties"] = properties
    for name in tool.unused(palette):
        del schema["properties"][name]
    return json.dumps(schema)


def fits_enum(ids: tuple[str, ...]) -> bool:
    """Return True if the ids are few, short and plain enough for an enum."""
    few = 0 < len(ids) <= MAX_IDS and sum(map(len, ids)) <= MAX_CHARACTERS
    return few and all(_PLAIN.fullmatch(each) for each in ids)


@cache
def _parameters(tool: type[Tool]) -> str:
    schema = tool.model_json_schema()
    del schema["properties"]["tool"]
    short = short_schema(schema)
    return json.dumps(short | {"properties": short["properties"] | tool.brief})


_KEPT = ("type", "enum", "maxItems", "required")
"""Keys of a schema that a model needs as they are; what else pydantic checks costs tokens only."""


def short_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of pydantic without references, titles, defaults and bounds of lengths."""
    return _short(schema, schema.get("$defs", {}))


def _short(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    target = definitions.get(str(schema.get("$ref", "")).rsplit("/", 1)[-1], schema)
    short = {key: target[key] for key in _KEPT if key in target}
    if schema.get("description") and "properties" not in schema:
        short["description"] = schema["description"]
    if "items" in target:
        short["items"] = _short(target["items"], definitions)
    if "properties" in target:
        short["properties"] = {k: _short(v, definitions) for k, v in target["properties"].items()}
    return short
