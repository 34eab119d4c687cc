"""Read-only tools: recall_object, resolve_place and locate_in_view."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from openral_core.spatial_memory import ResolveStatus
from openral_core.text.terms import same_term
from openral_reasoner.behaviors.locate import LocateOutcome, locate_object
from openral_reasoner.behaviors.recall_or_locate import (
    BAD_QUERY,
    bad_query,
    not_found_reply,
    recall_or_locate,
    unreadable,
)
from openral_reasoner.behaviors.requests import RequestFailed, resolve
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.search import SEEN_NOT_PLACED
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool


class RecallObjectTool(Tool):
    """Ask memory where an object is; a miss lists places to search."""

    tool: Literal["recall_object"] = "recall_object"
    query: str = Field(min_length=1, max_length=200)
    likely_places: tuple[Annotated[str, Field(max_length=128)], ...] = Field(
        default=(), max_length=12, description="where it usually is, best first"
    )

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available or palette.detector_available

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        return (yield from recall_or_locate(mission, self.query, self.likely_places))


class ResolvePlaceTool(Tool):
    """Get an id that is not listed of a place, room or person."""

    tool: Literal["resolve_place"] = "resolve_place"
    reference: str = Field(min_length=1, max_length=200)

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.say(f"resolving {self.reference}")
        answer = yield from resolve(mission, self.reference)
        if isinstance(answer, RequestFailed):
            return ToolResult(
                status=answer.condition, text="memory did not answer", peer_words=(answer.message,)
            )
        if answer.status is not ResolveStatus.FOUND or not answer.node_id:
            return ToolResult(
                status=answer.status.name if answer.status else "NOT_FOUND",
                text="the reference does not identify exactly one place, person or object",
                valid=answer.candidates,
                peer_words=(answer.message,),
            )
        entry = mission.palette.place(answer.node_id)
        known_object = mission.learn(MissionObject.from_resolve(answer, self.reference, entry))
        summary = ObjectSummary(
            id=known_object.id,
            label=known_object.label,
            kind=known_object.kind,
            room=entry.room if entry else "",
        )
        return ToolResult(status="FOUND", text="this id may be used as a target", found=(summary,))


class LocateInViewTool(Tool):
    """Look for an object in the newest image."""

    tool: Literal["locate_in_view"] = "locate_in_view"
    query: str = Field(min_length=1, max_length=200)
    camera: str = Field(default="", max_length=64, description="empty: the primary")
    detector: str = Field(default="", max_length=64, description="empty: the default")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.detector_available

    @classmethod
    @override
    def unused(cls, palette: ToolPalette) -> frozenset[str]:
        counts = {"detector": len(palette.locators), "camera": len(palette.cameras)}
        return frozenset(name for name, count in counts.items() if count < 2)

    @override
    def check(self, mission: Mission) -> None:
        entry = mission.palette.locator(self.detector)
        if entry is None:
            raise InvalidCall("detector", self.detector, tuple(e.id for e in mission.palette.locators))
        if self.camera and self.camera not in entry.cameras:
            raise InvalidCall("camera", self.camera, entry.cameras)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        refusal = unreadable(self.query)
        if refusal is not None:
            return refusal
        mission.say(f"looking for {self.query}")
        look = yield from locate_object(mission, self.query, self.camera, self.detector)
        if look.objects:
            summaries = tuple(known_object.summary() for known_object in look.objects)
            return ToolResult(
                status="FOUND", text="in view now; the ids below may be used as targets", found=summaries
            )
        if look.absent and _disprove(mission, self.query):
            return (
                yield from not_found_reply(
                    mission, self.query, "MOVED", "it is no longer where memory has it", (look.message,)
                )
            )
        if look.status == BAD_QUERY:
            return bad_query(look.message)
        return ToolResult(status=look.status, text=_text(look), peer_words=(look.message,))


def _disprove(mission: Mission, words: str) -> bool:
    """Mark a remembered object as refuted if the camera points straight at its place without seeing it."""
    known_object = mission.objects.get(mission.base.faced_target)
    if known_object is None or known_object.kind != "object" or not same_term(known_object.words, words):
        return False
    mission.disprove(known_object)
    return True


def _text(look: LocateOutcome) -> str:
    if look.absent:
        return "a working detector evaluated a fresh image and did not find it"
    if look.status == SEEN_NOT_PLACED:
        return "it is in view but could not be placed in the map: look again from closer"
    return "no image was evaluated, so presence and absence are both still unknown"
