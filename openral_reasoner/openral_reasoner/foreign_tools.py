"""Tools of other packages: their base classes, and the loader of those that a deployment names.

A package declares them as entry points of the group ``openral.tools``. A tool only reads: one that wants
motion returns an `ExecuteRskill`, which goes the way of every skill call of the model.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, Field, ValidationError

from openral_core.errors import OpenRALError, format_choices
from openral_reasoner.context import FrozenModel, plain
from openral_reasoner.palette.entries import ForeignToolEntry

GROUP = "openral.tools"
"""Group of entry points."""
MAX_ANSWER, MAX_DESCRIPTION, MAX_SCHEMA = 4_000, 300, 2_000
"""Longest answer, description and schema of the arguments that reach a model [characters]."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
_PACKAGE = re.compile(r"[A-Za-z0-9._-]{1,64}")


class ExecuteRskill(FrozenModel):
    """Request for one step of a skill: checked, consented to and run as a call of execute_rskill."""

    rskill_id: str = Field(max_length=64)
    target: str = Field(max_length=128)
    search_for: str = Field(default="", max_length=200)
    parameters: dict[str, str | int | float | bool] = {}


Arguments = TypeVar("Arguments", bound=BaseModel)


class ForeignTool(ABC, Generic[Arguments]):
    """Tool of another package; it is made once, and called on a thread of its own."""

    name: ClassVar[str]  # By which the model calls it: lower case, digits and underscores.
    description: ClassVar[str]  # For the model, at most `MAX_DESCRIPTION` characters.
    arguments: type[Arguments]  # Model of the arguments; a call that does not fit it never reaches `perform`.


class ReadOnlyTool(ForeignTool[Arguments]):
    """Tool that answers in words."""

    @abstractmethod
    def perform(self, arguments: Arguments) -> str:
        """Return the answer, which the model reads as data."""


class ActingTool(ForeignTool[Arguments]):
    """Tool that may also ask for a step of a skill."""

    @abstractmethod
    def perform(self, arguments: Arguments) -> str | ExecuteRskill:
        """Return the answer, or the step that it asks for."""


class ForeignAnswer(FrozenModel):
    """Bounded outcome of a call: ANSWERED, BAD_ARGUMENTS, TOOL_ERROR, NOT_ALLOWED, BUSY or UNAVAILABLE."""

    status: str
    text: str = ""
    step: ExecuteRskill | None = None


@dataclass(frozen=True, slots=True)
class LoadedTool:
    """Tool with its entry in the palette."""

    entry: ForeignToolEntry
    tool: ReadOnlyTool[Any] | ActingTool[Any]

    def answer(self, arguments: str) -> ForeignAnswer:
        """Call the tool with JSON arguments; whatever it does becomes a bounded answer, if it returns."""
        try:
            checked = self.tool.arguments.model_validate_json(arguments)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            return ForeignAnswer(status="BAD_ARGUMENTS", text=plain(problems))
        try:
            answer: object = self.tool.perform(checked)
        except Exception as error:
            return ForeignAnswer(status="TOOL_ERROR", text=plain(f"{type(error).__name__}: {error}", 300))
        if isinstance(answer, ExecuteRskill):
            if isinstance(self.tool, ActingTool):
                return ForeignAnswer(status="ANSWERED", step=answer)
            return ForeignAnswer(status="NOT_ALLOWED", text="a read-only tool asked for a step of a skill")
        if not isinstance(answer, str):
            return ForeignAnswer(status="TOOL_ERROR", text=f"it returned a {type(answer).__name__}, no text")
        left_out = len(answer) - MAX_ANSWER
        more = f"... ({left_out} characters left out)" if left_out > 0 else ""
        return ForeignAnswer(status="ANSWERED", text=f"{plain(answer, MAX_ANSWER)}{more}")


class UnusableTool(OpenRALError):
    """Tool that a deployment names and that cannot be offered."""

    def __init__(self, name: str, why: str, installed: Iterable[str]) -> None:
        super().__init__(
            f"tool {name!r} of the parameter 'tools' cannot be offered: {why}; installed in the group "
            f"{GROUP!r}: {format_choices(list(installed))}"
        )


def load_tools(names: Iterable[str], own: Collection[str]) -> tuple[LoadedTool, ...]:
    """Load the named tools; nothing else of the group is imported.

    Raises:
        UnusableTool: If one is not installed, raises, is no tool, or has one of the ``own`` names.
    """
    installed = {each.name: each for each in entry_points(group=GROUP)}
    loaded = list[LoadedTool]()
    for name in names:
        try:
            if name not in installed:
                raise TypeError("no installed package declares it")
            tool = _load(installed[name])
            if tool.entry.id in (*own, *(each.entry.id for each in loaded)):
                raise TypeError(f"another tool has the name {tool.entry.id!r}")
        except Exception as error:
            raise UnusableTool(name, plain(f"{error}", 300), installed) from error
        loaded.append(tool)
    return tuple(loaded)


def _load(entry: EntryPoint) -> LoadedTool:
    tool = entry.load()()
    if not isinstance(tool, ReadOnlyTool | ActingTool):
        raise TypeError(f"{entry.value} is neither a ReadOnlyTool nor an ActingTool")
    package = entry.dist.name if entry.dist is not None else ""
    if not (_NAME.fullmatch(tool.name) and _PACKAGE.fullmatch(package)):
        raise TypeError(f"its name {tool.name!r} or package {package!r} is not one of a tool")
    schema = json.dumps(tool.arguments.model_json_schema())
    if len(schema) > MAX_SCHEMA or len(tool.description) > MAX_DESCRIPTION:
        raise TypeError(
            f"its description has {len(tool.description)} characters, at most {MAX_DESCRIPTION}, "
            f"or its schema {len(schema)}, at most {MAX_SCHEMA}"
        )
    words = plain(" ".join(tool.description.split()), MAX_DESCRIPTION)
    return LoadedTool(
        ForeignToolEntry(id=tool.name, package=package, description=words, parameters=schema), tool
    )
