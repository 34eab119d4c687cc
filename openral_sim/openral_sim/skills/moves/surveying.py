"""Looking closely with the wrist's range camera, and choosing a grasp the arm can do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.approaches import Approach, Pointing, backed_off, turns_of
from openral_sim.motions.grasps import Grasp, fits, manners
from openral_sim.motions.kinematics import COMFORTABLE, Unreachable
from openral_sim.motions.scans import range_scan, window_around
from openral_sim.motions.segments import NothingSeen, Segment, segment_near
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import NothingThere, NotInGripperRange, NotReachable
from openral_sim.skills.feedback import Feedback, Move
from openral_sim.skills.requests import GraspRequest

Vector = NDArray[np.float64]
_RAYS_ACROSS = 84
_FINEST = 0.003
_FIELD_OF_VIEW = np.array([np.tan(np.radians(30.0)) * 4 / 3, np.tan(np.radians(30.0))])
_STAND_OFF = 0.10
_PROPOSED, _AT_ONCE = 24, 4
_PER_RADIAN = 0.01


@dataclass(frozen=True)
class Choice:
    """A grasp, the posture to come to it from, and the height of what the thing stands on in [m]."""

    grasp: Grasp
    before: Vector
    support: float


def survey(context: SkillContext, request: GraspRequest) -> Segment:
    """Scan around where the thing should be and cut it out.

    Raises:
        NothingThere: If the scan shows nothing there.
    """
    T_map_camera = context.control.T_map_body(context.names.wrist_optical_frame)
    half = min(0.26, max(0.13, request.reach + 0.07))
    window = window_around(T_map_camera, request.position, half, max(_FINEST, 2 * half / _RAYS_ACROSS))
    window = window[(np.abs(window) < _FIELD_OF_VIEW).all(axis=1)]
    points = range_scan(context.model, context.data, T_map_camera, window, context.control.bodies)
    near = np.linalg.norm(points[:, :2] - request.position[:2], axis=1) < half + 0.10
    try:
        return segment_near(points[near], request.position, request.position[2] - request.height / 2)
    except NothingSeen as error:
        raise NothingThere(f"no {request.label} there: {error}") from error


def choices(context: SkillContext, segment: Segment, label: str, approach: Approach) -> Move[list[Choice]]:
    """The grasps whose postures touch nothing else, the best first; a way to them is still to be found.

    Raises:
        NotInGripperRange: If the fingers fit nowhere around the thing.
        NotReachable: If they fit, but the arm does not get there.
    """
    grasps = yield from _proposed(segment, approach)
    if not grasps:
        own = segment.own_points
        extent = np.round(own.max(axis=0) - own.min(axis=0), 2)
        raise NotInGripperRange(
            f"the fingers do not get around the {label}: it measures about {extent[0]} x {extent[1]} m"
        )
    context.look_around()
    ways = yield from _ways_in(context, grasps, segment)
    if not ways:
        raise NotReachable(f"the fingers would fit around the {label}, but the arm does not get there")
    here = context.control.reach_target
    ways.sort(key=lambda way: _cost(way.grasp, way.before - here))
    return ways


def _proposed(segment: Segment, approach: Approach) -> Move[list[Grasp]]:
    """Places for the fingers in the first manner that offers any, one manner in a control period."""
    for manner in manners(approach):
        found = fits(segment, approach, manner)
        yield Feedback("choosing a grasp", 0.5)
        if found:
            return found[:_PROPOSED]
    return []


def _cost(grasp: Grasp, move: Vector) -> float:
    """A worse grasp against a longer way of the arm to it and a hand that is turned about where it points."""
    pointing = Pointing.of(grasp.T_map_grasp[:3, :3])
    turned = 0.0 if pointing.is_downward else abs(pointing.roll)
    return -grasp.score + _PER_RADIAN * (float(np.abs(move).max()) + turned)


def _ways_in(context: SkillContext, grasps: Sequence[Grasp], segment: Segment) -> Move[list[Choice]]:
    """Each grasp the arm can do, every way round, a few in a control period."""
    found: list[Choice] = []
    for count, grasp in enumerate(grasps, 1):
        for T in turns_of(grasp.T_map_grasp):
            before = _way_in(context, replace(grasp, T_map_grasp=T), segment)
            if before is not None:
                found.append(Choice(replace(grasp, T_map_grasp=T), before, segment.support))
        if count % _AT_ONCE == 0:
            yield Feedback("choosing a grasp", 0.5)
    return found


def _way_in(context: SkillContext, grasp: Grasp, segment: Segment) -> Vector | None:
    """The posture to come from, if both it and the grasp are reachable and free."""
    base, here, T = context.control.base_pose, context.control.reach_target, grasp.T_map_grasp
    radius = float(np.linalg.norm(segment.own_points - T[:3, 3], axis=1).max()) + 0.03
    try:
        before = _posture(context, context.in_base(backed_off(T, _STAND_OFF), base), here)
        inside = context.solver.solve(context.in_base(T, base), before, tries=1)
    except Unreachable:
        return None
    if float(np.abs(inside - before).max()) > 1.2:
        return None
    context.suppose_opening(grasp.opening)
    free = context.checker.free(before)
    context.checker.spare(T[:3, 3], max(radius, 0.06))
    free = free and context.checker.free(inside)
    context.look_around()
    return before if free else None


def _posture(context: SkillContext, T_base_grasp: Vector, here: Vector) -> Vector:
    """A posture near the present one if there is one, else any comfortable one.

    Raises:
        Unreachable: If there is none.
    """
    try:
        return context.solver.solve(T_base_grasp, here, tries=2)
    except Unreachable:
        return context.solver.solve(T_base_grasp, COMFORTABLE, tries=4)
