"""Base of the tools: arguments, words for the model, and what happens."""

from abc import abstractmethod
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from openral_core.errors import OpenRALError, listed
from openral_reasoner.exchanges.turns import Reply
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.procedures.mission import Ending, Mission, Procedure

Outcome = Reply | Ending


class InvalidCall(OpenRALError):
    """A tool call that the palette of this tick does not allow; the model can mend it."""

    def __init__(self, what: str, asked: str, valid: tuple[str, ...]) -> None:
        self.what = what
        self.valid = valid
        super().__init__(f"{what} {asked!r} is not valid: valid are {listed(valid)}")


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

    def check(self, mission: Mission) -> None:
        """Refuse what the palette does not list.

        Raises:
            InvalidCall: Naming what would be valid.
        """

    @abstractmethod
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        """Do it."""
