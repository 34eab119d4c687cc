"""OPEN: take a door by its handle and move with it, about its hinge or along its rail."""

from collections.abc import Sequence

from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.furniture import Door, Motion
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Running
from openral_sim.skills.moves.door_stances import dock_at_door
from openral_sim.skills.moves.holding import require_empty
from openral_sim.skills.moves.leaves import Leaf, leaf_of
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.pulling import handle_hold, move_by_handle
from openral_sim.skills.requests import DoorRequest

WIDE = (1.50, 1.35, 1.20, 1.05)
"""Angles worth opening a door to in [rad], the best first."""
_ENOUGH = 0.95
_DRAWN = (0.98, 0.85, 0.70)
"""Shares of its way worth drawing a slide to, the best first."""
_DRAWN_ENOUGH = 0.6


def open_door(context: SkillContext, request: DoorRequest) -> Running:
    """Open a container wide enough to reach in."""
    require_empty(context)
    leaf = leaf_of(context, request)
    if leaf.angle(context) >= _enough(leaf.door):
        return _told(context, leaf, request, "stands open already")
    hold = handle_hold(leaf, request.container_id)
    way = yield from dock_at_door(context, hold, _wide(leaf.door), "docking")
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    yield from move_by_handle(context, leaf, way, "pulling the door")
    return _told(context, leaf, request, "is open")


def _wide(door: Door) -> Sequence[float]:
    return [share * door.travel for share in _DRAWN] if door.motion is Motion.SLIDE else WIDE


def _enough(door: Door) -> float:
    return _DRAWN_ENOUGH * door.travel if door.motion is Motion.SLIDE else _ENOUGH


def _told(context: SkillContext, leaf: Leaf, request: DoorRequest, words: str) -> SkillResult:
    evidence: dict[str, ParamValue] = {
        "container_id": request.container_id,
        "opening": leaf.opening(context),
        "angle": leaf.angle(context),
    }
    if leaf.angle(context) < _enough(leaf.door):
        message = f"'{request.container_id}' opened to {leaf.guide.words(leaf.angle(context))} only"
        return SkillResult(SkillStatus.BLOCKED, message, evidence)
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {words}", evidence)
