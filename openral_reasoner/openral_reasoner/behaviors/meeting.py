"""Go to where a person is now: people walk on while the robot drives, and are searched for when gone."""

import re
from collections.abc import Iterator
from dataclasses import replace
from math import cos, dist, pi, sin

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus
from openral_core.spatial_memory import NodeKind, ResolveStatus
from openral_reasoner.behaviors.approach import approach, face, resolve_object
from openral_reasoner.behaviors.locate import locate_object
from openral_reasoner.behaviors.requests import RequestFailed, resolve
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject

PERSON = "person"
_SEEN = re.compile(r"person_\d+")
"""Ids that memory gives to people whom the cameras saw; those of a map stand where the map says."""
MEETINGS = 3
"""Approaches to a person who walks on [1]."""
STAYED = 0.6
"""Distance within which a person is where they were [m]: a step."""
ROOMS = 6
"""Rooms that are searched for a person who is gone [1]."""
BEARINGS = 4
"""Directions of looking from the middle of a room [1]; the camera sees a quarter of it."""
EYE_HEIGHT = 1.2
"""Height to look at for people [m]."""


def walks(target: MissionObject) -> bool:
    """Return True if a target is a person whom the cameras saw."""
    return _SEEN.fullmatch(target.id) is not None


def meet(mission: Mission, person: MissionObject) -> Procedure[tuple[SkillResult, MissionObject]]:
    """Drive to a person and look whether they are there; follow or search for them, boundedly.

    If no locator can tell, they are taken to be where memory has them.
    """
    result = SkillResult(SkillStatus.NOT_REACHABLE, f"{person.label} was not met")
    for _ in range(MEETINGS):
        result = yield from approach(mission, person)
        if not result.success or person.pose is None:
            return result, person
        yield from face(mission, person)
        look = yield from locate_object(mission, PERSON)
        if not look.absent and not look.objects:
            return result, person
        nearest = _nearest(look.objects, person.pose)
        if nearest is not None and nearest.pose is not None and _apart(nearest.pose, person.pose) <= STAYED:
            return result, replace(person, pose=nearest.pose)
        moved = nearest or (yield from _remembered(mission, person)) or (yield from _search(mission, person))
        if moved is None:
            why = f"{person.label} is neither at their last place nor in the rooms that were searched"
            return SkillResult(SkillStatus.NOTHING_THERE, why), person
        mission.base.at_target = ""
        person = mission.learn(replace(person, id=moved.id, pose=moved.pose, standing=None))
    return result, person


def _remembered(mission: Mission, person: MissionObject) -> Procedure[MissionObject | None]:
    """Return the person where memory has them by now, if that is elsewhere."""
    answer = yield from resolve(mission, person.id)
    if isinstance(answer, RequestFailed) or answer.status is not ResolveStatus.FOUND:
        return None
    if answer.target_pose is None or person.pose is None or _apart(answer.target_pose, person.pose) <= STAYED:
        return None
    return MissionObject.from_resolve(answer, person.label)


def _search(mission: Mission, person: MissionObject) -> Procedure[MissionObject | None]:
    """Look to all sides from the middle of each room, the nearest to their last place first."""
    last, rooms = person.pose or Pose(), list[MissionObject]()
    for entry in [each for each in mission.palette.places if each.kind is NodeKind.ROOM][:ROOMS]:
        room = yield from resolve_object(mission, entry.id)
        rooms += [room] if room is not None and room.pose is not None else []
    for room in sorted(rooms, key=lambda each: _apart(each.pose or last, last)):
        mission.say(f"searching {room.label} for {person.label}")
        went = yield from approach(mission, room)
        if not went.success:
            continue
        for view in _views(room):
            yield from face(mission, view)
            look = yield from locate_object(mission, PERSON)
            if look.objects:
                return _nearest(look.objects, last)
    return None


def _views(room: MissionObject) -> Iterator[MissionObject]:
    x, y, _ = (room.pose or Pose()).position
    for number in range(BEARINGS):
        bearing = 2.0 * pi * number / BEARINGS
        at = Pose((x + 2.0 * cos(bearing), y + 2.0 * sin(bearing), EYE_HEIGHT))
        yield replace(room, id=f"{room.id} {number}", pose=at)


def _nearest(people: tuple[MissionObject, ...], at: Pose) -> MissionObject | None:
    placed = [each for each in people if each.pose is not None]
    return min(placed, key=lambda each: _apart(each.pose or at, at), default=None)


def _apart(first: Pose, second: Pose) -> float:
    return dist(first.position[:2], second.position[:2])
