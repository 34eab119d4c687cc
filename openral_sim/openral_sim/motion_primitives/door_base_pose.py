"""Base poses from which a door can be grasped or pushed and moved, the robot moving along with it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import PlanarPose, Vector3
from openral_core.geometry import angle_between
from openral_core.grasping.approach import frontal, hand_axes, mirrored, pregrasp_pose
from openral_core.skill_errors import NotReachable
from openral_core.skills import Feedback
from openral_sim.motion_primitives.base_motion import floor_now, plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import ReachOption, WorkPose, work_pose_at
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.motion_primitives.door import ArticulatedDoor, contents_of
from openral_sim.motion_primitives.driving import drive_to
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.base_planner import CostToGo, candidate_base_poses
from openral_sim.planning.occupancy_grid import SimOccupancyGrid


@dataclass(frozen=True)
class DoorBasePoseConfig:
    """Parameters of choosing a base pose at a door; tuned on the simulated furniture."""

    pregrasp_distance: float = 0.13  # Distance of the hand from its working point before it goes in in [m].
    max_obliquity: float = 0.9  # Largest angle between the hand and the door's normal in [rad].
    bearings: int = 72  # Number of directions around the handle to consider, one every 5 degrees.
    # Radius around the working point within which contact is intended in [m]; the hand.
    contact_radius: float = 0.09
    floor_margin: float = 0.04  # Free floor beyond the base's footprint along the motion in [m].
    step: float = 0.12  # Spacing at which the motion is checked for collisions in [rad] or [m].
    max_candidates: int = 40  # Number of base poses with enough floor to check per door angle.


CONFIG = DoorBasePoseConfig()


@dataclass(frozen=True)
class HandleGrasp:
    """Contact of the hand with a door: a grasp of its handle or a push on its front."""

    door: ArticulatedDoor
    name: str  # Name of the contact in messages.
    # Position of the grasp site in map for an angle of the door, shape (3,).
    point_at: Callable[[float], Vector3]
    direction_at: Callable[[float], Vector3]  # Direction into the door there for an angle, shape (3,).

    def options(self, angle: float, heading: float) -> list[ReachOption]:
        """Reach options of the level hand along ``heading`` [rad], both ways round."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = hand_axes(frontal(heading)), self.point_at(angle)
        allowed_contact = (T[:3, 3], CONFIG.contact_radius)
        return [
            ReachOption(self.name, pregrasp_pose(turned, CONFIG.pregrasp_distance), turned, allowed_contact)
            for turned in (T, mirrored(T))
        ]


@dataclass(frozen=True)
class DoorWorkPose:
    """A work pose at a door and the angle that the door can be moved to from there in [rad] or [m]."""

    work_pose: WorkPose
    angle: float


def move_to_door(
    context: SkillContext, hold: HandleGrasp, angles: Sequence[float], stage: str
) -> Move[DoorWorkPose]:
    """Drive to where the door can be moved to the first of ``angles`` that is feasible.

    Raises:
        NotReachable: If no base pose allows any of them.
    """
    context.sync_collision_scene()
    field = plan_base_motion(context)
    door_pose = yield from find_door_work_pose(context, field, hold, angles, stage)
    yield from stow_arm(context, stage)
    yield from drive_to(context, door_pose.work_pose.base, field, stage)
    context.sync_collision_scene()
    settled = work_pose_at(context, context.control.base_pose, lambda _base: [door_pose.work_pose.option])
    return DoorWorkPose(settled or door_pose.work_pose, door_pose.angle)


def find_door_work_pose(
    context: SkillContext, field: CostToGo, hold: HandleGrasp, angles: Sequence[float], stage: str
) -> Move[DoorWorkPose]:
    """Find a base pose to work at a door from, with room to move along, trying the angles in order.

    Raises:
        NotReachable: If there is none.
    """
    now = hold.door.angle(context)
    point, into = hold.point_at(now), hold.direction_at(now)
    heading, arm = float(np.arctan2(into[1], into[0])), context.robot.description.arm
    poses = [
        pose
        for pose in candidate_base_poses(field, point, arm.door_distances, CONFIG.bearings)
        if angle_between(heading, float(pose[2])) < CONFIG.max_obliquity
    ]
    floor = floor_now(context, {hold.door.body})
    room = context.robot.description.base.radius + CONFIG.floor_margin
    for angle in angles:
        roomy = (pose for pose in poses if has_room(floor, hold.door, pose, angle - now, room))
        for _, pose in zip(range(CONFIG.max_candidates), roomy, strict=False):
            yield Feedback(stage, 0.0)
            work_pose = work_pose_at(context, pose, lambda base: hold.options(now, float(base[2])))
            if work_pose is not None and stays_free(context, hold, work_pose, angle):
                return DoorWorkPose(work_pose, angle)
    where = ", ".join(f"{value:.2f}" for value in point)
    raise NotReachable(
        f"the {hold.name} at ({where}) is not reachable:"
        f" none of {len(poses)} base poses leaves enough room to move the door"
    )


def _samples(turn: float) -> Iterator[float]:
    count = max(1, int(np.ceil(abs(turn) / CONFIG.step)))
    return (turn * i / count for i in range(count, 0, -1))


def has_room(
    floor: SimOccupancyGrid, door: ArticulatedDoor, pose: PlanarPose, turn: float, room: float
) -> bool:
    """Return True if the floor is free within ``room`` [m] of the base all along the door's motion."""
    places = (door.joint.moved_with(pose, by)[:2] for by in _samples(turn))
    return all(floor.clearance_at(place) > room for place in places)


def stays_free(context: SkillContext, hold: HandleGrasp, work_pose: WorkPose, angle: float) -> bool:
    """Return True if the robot stays collision-free while it and a drawer's contents move with the door."""
    now, checker = hold.door.angle(context), context.checker
    inside = {body: context.data.xpos[body].copy() for body in contents_of(context, hold.door.spec)}
    free = True
    for by in _samples(angle - now):
        checker.set_joint(hold.door.spec.joint, now + by)
        for body, position in inside.items():
            checker.set_body_position(body, position + by * hold.door.joint.normal(now))
        checker.allow_contact_near(hold.point_at(now + by), CONFIG.contact_radius)
        free = free and checker.is_free(work_pose.goal, hold.door.joint.moved_with(work_pose.base, by))
    context.sync_collision_scene()
    return free
