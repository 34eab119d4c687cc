"""Taking a door by its handle and moving it."""

import numpy as np

from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import Blocked, LostObject, NotInGripperRange
from openral_sim.skills.feedback import Move
from openral_sim.skills.moves.door_stances import BEFORE, Hold, Swing
from openral_sim.skills.moves.gripping import bar_between_fingers, bumped, close_hand, open_hand
from openral_sim.skills.moves.holding import pin, unfasten
from openral_sim.skills.moves.leaves import Leaf
from openral_sim.skills.moves.reaching import reach_along, reach_to
from openral_sim.skills.moves.retreating import withdraw
from openral_sim.skills.moves.swinging import swing

_LOOSE = 0.03


def handle_hold(leaf: Leaf, container_id: str) -> Hold:
    """The hand on a door's handle."""
    return Hold(
        leaf,
        f"handle of '{container_id}'",
        lambda angle: leaf.point(angle, float(leaf.handle[0]), 1.0),
        lambda angle: -leaf.guide.normal(angle),
    )


def move_by_handle(context: SkillContext, leaf: Leaf, way: Swing, stage: str) -> Move[None]:
    """Take the handle, move the door as far as the stance allows, let go and withdraw.

    Raises:
        NotInGripperRange: If the fingers close beside the handle.
        LostObject: If the handle slips out of the hand.
        Blocked: If the door does not come along.
    """
    try:
        yield from _take_handle(context, leaf, way)
        yield from _move(context, leaf, way.angle, stage)
    finally:
        unfasten(context, context.names.handle_connect)
    yield from open_hand(context, "letting go")
    yield from withdraw(context, BEFORE)


def _take_handle(context: SkillContext, leaf: Leaf, way: Swing) -> Move[None]:
    """Close on the bar; the hand is pinned to it only while both fingers touch it."""
    yield from reach_to(context, way.stance.before, "reaching")
    yield from open_hand(context, "opening the hand")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: bumped(context))
    bar = leaf.door.handle_geoms
    body = yield from close_hand(context, "closing", lambda context: bar_between_fingers(context, bar))
    if body is None:
        yield from open_hand(context, "letting go")
        yield from withdraw(context, BEFORE)
        raise NotInGripperRange("the fingers closed beside the handle")
    pin(context, context.names.handle_connect, context.model.body(context.names.hand).id, body)


def _move(context: SkillContext, leaf: Leaf, angle: float, stage: str) -> Move[None]:
    taken = leaf.guide.T_map_door(leaf.angle(context))
    at_door = np.linalg.inv(taken) @ context.control.T_map_grasp()[:, 3]

    def strayed() -> float:
        at = leaf.guide.T_map_door(leaf.angle(context)) @ at_door
        return float(np.linalg.norm(at[:3] - context.control.T_map_grasp()[:3, 3]))

    def stop(expected: float) -> bool:
        return abs(expected - leaf.angle(context)) > leaf.guide.lag or strayed() > _LOOSE

    done = yield from swing(context, leaf, angle, stage, stop)
    if not done:
        slipped = bar_between_fingers(context, leaf.door.handle_geoms) is None
        unfasten(context, context.names.handle_connect)
        yield from open_hand(context, "letting go")
        yield from withdraw(context, BEFORE)
        stands = f"the door stands at {leaf.guide.words(leaf.angle(context))}"
        if slipped:
            raise LostObject(f"the handle slipped out of the hand; {stands}")
        raise Blocked(f"the door does not go further; {stands}")
