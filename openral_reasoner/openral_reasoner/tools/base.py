"""Base of the tools: arguments, words for the model, and what happens."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from openral_core.errors import OpenRALError, format_choices
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette

Outcome = ToolResult | Ending


class InvalidCall(OpenRALError):
    """A tool call that the palette of this tick does not allow; the model can mend it.

    ``advice`` is what the model reads; what it asked for stands in its own call.
    """

    def __init__(self, what: str, asked: str, valid: tuple[str, ...], advice: str = "") -> None:
        self.what = what
        self.valid = valid
        self.advice = advice or f"this {what} is not in the palette now"
        super().__init__(f"{what} {asked!r} is not valid: valid are {format_choices(valid)}")


class Tool(BaseModel):
    """One thing the model may do; the class docstring is what the model reads of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    acts: ClassVar[bool] = False

    @classmethod
    def offered(cls, palette: ToolPalette) -> bool:
        """Whether the palette has what this tool needs."""
        return True

    @classmethod
    def words(cls, palette: ToolPalette) -> str:
        """What the model reads of it now."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def ids(cls, palette: ToolPalette, known: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        """Arguments that take nothing but an id, and those ids now; ``known`` are this mission's."""
        return {}

    @classmethod
    def named(cls, palette: ToolPalette) -> Mapping[str, Mapping[str, object]]:
        """Arguments that are objects, with the schema of every key they may have now."""
        return {}

    def check(self, mission: Mission) -> None:
        """Refuse what the palette does not list.

        Raises:
            InvalidCall: Naming what would be valid.
        """

    @abstractmethod
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        """Do it."""
