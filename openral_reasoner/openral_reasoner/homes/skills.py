"""What skills do to a symbolic home, with honest failures."""

from collections.abc import Callable, Mapping

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_reasoner.homes.home import Home, HomeObject

_Params = Mapping[str, ParamValue]
_DONE = SkillResult(SkillStatus.SUCCEEDED, "done")


def _pose(params: _Params, name: str) -> Pose:
    pose = params[name]
    assert isinstance(pose, Pose)
    return pose


def _navigate(home: Home, params: _Params) -> SkillResult:
    goal = _pose(params, "goal")
    place = home.place_near(goal)
    if place is not None and not place.reachable:
        return SkillResult(SkillStatus.NOT_REACHABLE, "no way there")
    home.travelled += abs(goal.position[0] - home.x) + abs(goal.position[1] - home.y)
    home.x, home.y = goal.position[0], goal.position[1]
    home.at = place.id if place else ""
    return _DONE


def _look_at(home: Home, params: _Params) -> SkillResult:
    place = home.place_near(_pose(params, "target"))
    home.facing = place.id if place else ""
    return _DONE


def _open(home: Home, params: _Params) -> SkillResult:
    place = home.place_near(_pose(params, "target"))
    if place is None or not place.occludes:
        return SkillResult(SkillStatus.NOTHING_THERE, "no door there")
    if home.holding:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    place.is_open = True
    return _DONE


def _close(home: Home, params: _Params) -> SkillResult:
    place = home.place_near(_pose(params, "target"))
    if place is None:
        return SkillResult(SkillStatus.NOTHING_THERE, "no door there")
    if home.holding:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    place.is_open = False
    return _DONE


def _grasp(home: Home, params: _Params) -> SkillResult:
    if home.holding:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    thing = home.object_near(_pose(params, "target"))
    if thing is None:
        return SkillResult(SkillStatus.NOTHING_THERE, "closed on nothing")
    home.holding, thing.place = thing.id, ""
    return _DONE


def _place(home: Home, params: _Params) -> SkillResult:
    surface = home.place_near(_pose(params, "target"))
    thing = _held(home)
    if thing is None or surface is None:
        return SkillResult(SkillStatus.NOTHING_HELD, "nothing to put down")
    home.holding, thing.place, thing.remembered_at = "", surface.id, surface.id
    return SkillResult(SkillStatus.SUCCEEDED, "put down", {"pose": home.pose_of(thing)})


def _pour(home: Home, params: _Params) -> SkillResult:
    thing, vessel = _held(home), home.object_near(_pose(params, "target"))
    if thing is None or vessel is None:
        return SkillResult(SkillStatus.NOTHING_HELD, "nothing to pour")
    home.filled[vessel.id] = thing.id
    return _DONE


def _handover(home: Home, params: _Params) -> SkillResult:
    agent = home.place_near(_pose(params, "agent"))
    thing = _held(home)
    if thing is None or agent is None:
        return SkillResult(SkillStatus.NOTHING_HELD, "nothing to hand over")
    home.holding = ""
    home.delivered.append((thing.id, agent.id))
    return _DONE


def _held(home: Home) -> HomeObject | None:
    return home.objects.get(home.holding)


SKILLS: Mapping[str, Callable[[Home, _Params], SkillResult]] = {
    "navigate": _navigate,
    "look-at": _look_at,
    "open": _open,
    "close": _close,
    "grasp": _grasp,
    "place": _place,
    "pour": _pour,
    "handover": _handover,
}
