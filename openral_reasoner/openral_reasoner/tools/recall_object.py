"""Tool recall_object: ask memory for an object."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.behaviors.recall import recall_or_locate
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import Outcome, Tool


class RecallObjectTool(Tool):
    """Ask memory where an object was last seen.

    Read-only. On a miss, the default locator is asked once for the same query, and the reply lists places
    to search, best first.
    """

    tool: Literal["recall_object"] = "recall_object"
    query: str = Field(min_length=1, max_length=200, description="the object in the user's own words")
    likely_places: tuple[str, ...] = Field(
        default=(),
        max_length=12,
        description="where such an object usually is, best first: ids, labels or kinds such as 'cabinet'",
    )

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available or palette.detector_available

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        return (yield from recall_or_locate(mission, self.query, self.likely_places))
