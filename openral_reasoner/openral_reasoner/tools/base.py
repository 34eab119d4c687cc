"""Base class of the tools: arguments, description for the model, and effect."""

from abc import abstractmethod
from collections.abc import Mapping

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

    def __init__(self, what: str, asked: str, valid: tuple[str, ...], advice: str = "") -> None:
        self.what = what
        self.valid = valid
        self.advice = advice or f"this {what} is not available now: use one of the valid ones"
        super().__init__(f"invalid {what} {asked!r}; valid: {format_choices(valid)}")


class Tool(BaseModel):
    """One action the model may take; the class docstring is its description for the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def offered(cls, palette: ToolPalette) -> bool:
        """Return True if the palette has everything this tool needs."""
        return True

    @classmethod
    def words(cls, palette: ToolPalette) -> str:
        """Return the description that the model reads, with the listings of the current palette."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def ids(cls, palette: ToolPalette, known: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        """Return the arguments that accept only ids, with those ids; ``known`` are this mission's."""
        return {}

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
