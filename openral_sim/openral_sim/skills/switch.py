"""SWITCH and PRESS: work a switch or button with the closed fingers; a switched lamp is judged by looking."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from openral_core.arrays import Joints, Transform, Vector3
from openral_core.errors import format_choices
from openral_core.grasping.approach import frontal, hand_axes, mirrored, pregrasp_pose
from openral_core.home_map import Appliance, Fixture
from openral_core.skill_errors import Blocked, NothingThere, NotInGripperRange
from openral_core.skill_requests import PressRequest, SwitchRequest
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_pose_selection import ReachOption, move_to_work_pose
from openral_sim.motion_primitives.context import Move, Running, SkillContext
from openral_sim.motion_primitives.gripper import push_on_hand, require_empty
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.head_image import luminance_of
from openral_sim.motion_primitives.luminance import state_by_luminance, was_switched
from openral_sim.motion_primitives.retract import retract_hand


@dataclass(frozen=True)
class PressConfig:
    """Parameters of pressing; tuned in simulation."""

    pregrasp_distance: float = 0.12  # Distance of the hand from the control before it presses in [m].
    depth: float = 0.015  # Distance that the fingertips are pushed beyond the released face in [m].
    half: float = 0.030  # Distance of the point to press on a switch from its middle, up or down, in [m].
    speed: float = 0.06  # Speed of the pressing hand in [m/s].
    max_force: float = 25.0  # Force on the hand that ends the press in [N]; a control at its stop exceeds it.
    contact_force: float = 0.5  # Force on the hand that shows that it met the control in [N].
    # Radius around the control within which contact is intended in [m]; the hand.
    contact_radius: float = 0.10
    clearance: float = 0.10  # Distance that the hand retracts in [m].
    max_target_offset: float = 0.15  # Largest distance of a control from a goal's target in [m].
    # Angles between the hand and the control's normal to try in [rad].
    obliquities: tuple[float, ...] = (0.0, 0.35, -0.35, 0.7, -0.7)


CONFIG = PressConfig()


@dataclass(frozen=True)
class MountedControl:
    """A control and its appliance on their fixture."""

    fixture: Fixture
    appliance: Appliance  # The appliance, and the control that it has.

    @property
    def normal(self) -> Vector3:
        """Direction out of the control's face in map, shape (3,)."""
        yaw = self.fixture.pose.yaw + self.appliance.control.yaw
        return np.array([np.cos(yaw), np.sin(yaw), 0.0])

    def point(self, up: float) -> Vector3:
        """Point of the face in map, ``up`` [m] above its middle, shape (3,)."""
        x, y, z = self.appliance.control.at
        return np.array([*self.fixture.pose.to_parent(x, y), z + up])


def control_at(context: SkillContext, control_id: str, target: Vector3) -> MountedControl:
    """Find the control that a goal names, or, of a robot with ids of its own, the one at its target.

    Raises:
        NothingThere: If there is none near the target.
    """
    controls = {
        appliance.control.id: MountedControl(item.fixture, appliance)
        for item in context.world.furniture.values()
        for appliance in item.fixture.appliances
    }
    distances = {name: float(np.linalg.norm(each.point(0.0) - target)) for name, each in controls.items()}
    name = (
        control_id if control_id in controls else min(distances, key=lambda key: distances[key], default="")
    )
    if distances.get(name, np.inf) > CONFIG.max_target_offset:
        where = ", ".join(f"{value:.2f}" for value in target)
        raise NothingThere(
            f"no switch or button '{control_id}' within {CONFIG.max_target_offset:.2f} m of ({where});"
            f" known are {format_choices(controls)}"
        )
    return controls[name]


def switch(context: SkillContext, request: SwitchRequest) -> Running:
    """Work the control of an appliance unless it is seen to be as wanted; look whether it changed."""
    require_empty(context)
    control = control_at(context, request.control_id, np.array(request.target.position))
    up = CONFIG.half if request.on else -CONFIG.half
    point = control.point(up if control.appliance.control.kind == "switch" else 0.0)
    reached = yield from move_to_work_pose(
        context,
        point,
        lambda _base: press_options(control, point, context.robot.gripper.tip_length),
        "docking",
    )
    before = yield from _look(context, control)
    if state_by_luminance(before, control.appliance.kind) is request.on:
        return _switched(control, request.on, before, before, "is already")
    yield from press_at(context, reached.before, reached.option.T_map_goal, point)
    yield from retract_hand(context, CONFIG.clearance)
    after = yield from _look(context, control)
    if not was_switched(before, after, request.on):
        raise Blocked(
            f"pressed '{control.appliance.control.id}', but the {control.appliance.name} does not look"
            f" {'on' if request.on else 'off'}: its luminance was {before:.2f} and is {after:.2f}"
        )
    return _switched(control, request.on, before, after, "is")


def press(context: SkillContext, request: PressRequest) -> Running:
    """Press a control once: a switch on the half that stands out, a button in its middle."""
    require_empty(context)
    control = control_at(context, request.control_id, np.array(request.target.position))
    evidence: dict[str, ParamValue] = {"control_id": control.appliance.control.id}
    point = control.point(0.0)
    reached = yield from move_to_work_pose(
        context,
        point,
        lambda _base: press_options(control, point, context.robot.gripper.tip_length),
        "docking",
    )
    yield from press_at(context, reached.before, reached.option.T_map_goal, point)
    message = f"pressed '{control.appliance.control.id}'"
    context.achieved = partial(SkillResult, SkillStatus.SUCCEEDED, message, evidence)
    yield from retract_hand(context, CONFIG.clearance)
    return SkillResult(SkillStatus.SUCCEEDED, message, evidence)


def press_options(control: MountedControl, point: Vector3, tip: float) -> Iterator[ReachOption]:
    """List poses of the level closed hand whose tips, ``tip`` [m] ahead, are ``depth`` behind the face."""
    into = -control.normal
    heading = float(np.arctan2(into[1], into[0]))
    for obliquity in CONFIG.obliquities:
        T = np.eye(4)
        T[:3, :3] = hand_axes(frontal(heading + obliquity))
        T[:3, 3] = point + (CONFIG.depth - tip) * T[:3, 2]
        for turned in (T, mirrored(T)):
            before = pregrasp_pose(turned, CONFIG.pregrasp_distance)
            yield ReachOption("with the fingertips", before, turned, (point, CONFIG.contact_radius))


def press_at(context: SkillContext, before: Joints, T_map_goal: Transform, point: Vector3) -> Move[None]:
    """Close the fingers and push with their tips until the control resists.

    Raises:
        NotInGripperRange: If the fingertips met nothing.
    """
    yield from aim(context, point, "looking")
    context.control.grip(0.0)
    yield from reach_to(context, before, "reaching")
    forces = [0.0]

    def stop() -> bool:
        forces.append(push_on_hand(context))
        return forces[-1] > CONFIG.max_force

    yield from reach_along(context, T_map_goal, "pressing", CONFIG.speed, stop)
    if max(forces) < CONFIG.contact_force:
        yield from retract_hand(context, CONFIG.clearance)
        raise NotInGripperRange("the fingertips missed the control")


def _look(context: SkillContext, control: MountedControl) -> Move[float]:
    luminance = yield from luminance_of(
        context, control.fixture.pose, control.appliance.lit, "looking whether it is on"
    )
    return luminance


def _switched(control: MountedControl, on: bool, before: float, after: float, words: str) -> SkillResult:
    evidence: dict[str, ParamValue] = {
        "control_id": control.appliance.control.id,
        "appliance_id": control.appliance.id,
        "on": on,
        "luminance_before": before,
        "luminance_after": after,
    }
    message = f"the {control.appliance.name} {words} {'on' if on else 'off'}"
    return SkillResult(SkillStatus.SUCCEEDED, message, evidence)
