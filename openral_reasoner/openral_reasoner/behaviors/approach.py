"""Approach an object, face it, open and close its containers, and refine its pose before a grasp."""

from dataclasses import dataclass, replace
from math import dist

from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import ResolveStatus
from openral_reasoner.behaviors.exploring import explore_on_the_way, may_explore, run_on_known_floor
from openral_reasoner.behaviors.locate import LocateOutcome, locate_object, not_evaluated
from openral_reasoner.behaviors.requests import SKILLS, RequestFailed, resolve, wait_for
from openral_reasoner.behaviors.skill_goal import STOOD, SkillStep
from openral_reasoner.context import plain
from openral_reasoner.evidence import Same
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject

IN_SIGHT, WHOLE = "in_sight", 0.75
"""Evidence of LOOK_AT: the fraction of its target that nothing hides [1]; that from which it is all seen."""
_NO_POSE = SkillResult(SkillStatus.NOT_REACHABLE, "memory has no pose for it")


def resolve_object(mission: Mission, node_id: str) -> Procedure[MissionObject | None]:
    """Return the node with this id, resolving it from memory if this mission does not know it yet."""
    if node_id in mission.objects:
        return mission.objects[node_id]
    answer = yield from resolve(mission, node_id)
    if isinstance(answer, RequestFailed) or answer.status is not ResolveStatus.FOUND or not answer.node_id:
        return None
    entry = mission.palette.place(answer.node_id) or mission.palette.control(answer.node_id)
    return mission.learn(MissionObject.from_resolve(answer, node_id, entry))


def run_verb(mission: Mission, verb: Verb, target: MissionObject) -> Procedure[SkillResult]:
    """Run the first skill of a verb on an object."""
    yield from wait_for(mission, SKILLS)
    entries = mission.palette.with_verb(verb)
    if not entries:
        return SkillResult(SkillStatus.UNSUPPORTED, f"no {verb.value} skill is available now")
    return (yield from run_on_known_floor(mission, SkillStep(entries[0], target)))


def approach(mission: Mission, target: MissionObject) -> Procedure[SkillResult]:
    """Drive to where the object can be seen and reached, unless the robot is already there."""
    if mission.base.at_target == target.id:
        return SkillResult(SkillStatus.SUCCEEDED, "already there")
    target = yield from with_standing_pose(mission, target)
    if target.standing is None:
        return _NO_POSE
    result = yield from run_verb(mission, Verb.NAVIGATE, target)
    if result.status in (SkillStatus.TIMEOUT, SkillStatus.BUSY, SkillStatus.BLOCKED, SkillStatus.SKILL_ERROR):
        result = yield from run_verb(mission, Verb.NAVIGATE, target)
    if result.success:
        mission.base.at_target = target.id
    return result


def with_standing_pose(mission: Mission, target: MissionObject) -> Procedure[MissionObject]:
    """Return the object with the base pose before it; while none is on the map, explore and ask again."""
    if target.standing is not None:
        return target
    while True:
        answer = yield from resolve(mission, target.id)
        if isinstance(answer, RequestFailed):
            return target
        if answer.goal_pose is not None:
            return mission.learn(replace(target, standing=answer.goal_pose))
        if answer.status is not ResolveStatus.UNREACHABLE or not may_explore(mission):
            return target
        mission.floor = replace(mission.floor, lacked=True)
        if not (yield from explore_on_the_way(mission)):
            return target


def face(mission: Mission, target: MissionObject) -> Procedure[SkillResult]:
    """Point the camera at the object; the skill may drive to see into a container."""
    if target.pose is None:
        return _NO_POSE
    mission.base.faced_target = ""
    result = yield from run_verb(mission, Verb.LOOK_AT, target)
    drove = result.evidence.get("drove", 0.0)
    if isinstance(drove, float) and drove > STOOD:
        mission.base.at_target = ""
    if result.success:
        mission.base.faced_target = target.id
    return result


def open_container(mission: Mission, node_id: str) -> Procedure[SkillResult]:
    """Drive to a closed container and open it."""
    if node_id in mission.hand.open_containers:
        return SkillResult(SkillStatus.SUCCEEDED, "already open")
    container = yield from resolve_object(mission, node_id)
    if container is None:
        return SkillResult(SkillStatus.NOT_REACHABLE, "memory has no location for the container")
    if not mission.palette.with_verb(Verb.OPEN):
        return SkillResult(SkillStatus.UNSUPPORTED, "no OPEN skill is available")
    went = yield from approach(mission, container)
    if not went.success:
        return went
    result = yield from run_verb(mission, Verb.OPEN, container)
    if result.success:
        mission.hand.open_containers.add(node_id)
    return result


def close_container(mission: Mission, node_id: str) -> Procedure[None]:
    """Close a container this mission opened; a door left open is news for the model, not a failure."""
    container = mission.objects.get(node_id)
    if (
        container is None
        or node_id not in mission.hand.open_containers
        or not mission.palette.with_verb(Verb.CLOSE)
    ):
        return
    result = yield from run_verb(mission, Verb.CLOSE, container)
    if result.success:
        mission.hand.open_containers.discard(node_id)
    else:
        mission.decisions.news.append(
            f"{node_id} was left open: CLOSE ended {result.status.name} ({plain(result.message, 200)})"
        )


@dataclass(frozen=True, slots=True)
class RefinedPose:
    """Object as last seen; ``lost`` if a detector did not see it at its place."""

    target: MissionObject
    look: LocateOutcome
    lost: bool = False


def refine_pose(mission: Mission, target: MissionObject) -> Procedure[RefinedPose]:
    """Refine an object's pose by looking at it from the current base pose.

    If no locator can answer, the remembered pose stands; only two images without the object show that it has
    moved, and none in which its place is partly hidden.
    """
    look = not_evaluated(mission)
    for _ in range(2):
        faced = yield from face(mission, target)
        if not mission.palette.detector_available:
            return RefinedPose(target, look)
        look = yield from locate_object(mission, target.words or target.label)
        if sighting := same_object(mission, target, look.objects):
            if sighting.id != target.id:
                mission.note(Same(target.id, sighting.id))
            return RefinedPose(sighting, look)
        visible = faced.evidence.get(IN_SIGHT, 1.0)
        is_hidden = isinstance(visible, float) and visible < WHOLE
        if not (look.absent or look.objects) or not faced.success or is_hidden:
            return RefinedPose(target, look)
    mission.disprove(target)
    return RefinedPose(target, look, lost=True)


def same_object(
    mission: Mission, target: MissionObject, sightings: tuple[MissionObject, ...]
) -> MissionObject | None:
    """Return the detection that is this object: the one with its id, else the nearest within the gate."""
    named = next((each for each in sightings if each.id == target.id), None)
    if named is not None or target.pose is None:
        return named
    expected = target.pose.position
    near = [
        (dist(each.pose.position, expected), index, each)
        for index, each in enumerate(sightings)
        if each.pose is not None and dist(each.pose.position, expected) <= mission.settings.same_object_within
    ]
    return min(near)[2] if near else None
