"""EXPLORE in the bare room, on maps that grow when the robot looks."""

from collections.abc import Callable

import numpy as np
import pytest

from openral_core.floor_map import FREE, UNKNOWN, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import Pose2
from openral_core.skill_requests import ExploreRequest
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.skills.explore import next_step

CORNER = Pose2(x=-1.2, y=-1.2)


def known(unknown: slice = slice(0, 0)) -> FloorMap:
    """Free floor around the robot with a strip of unknown columns."""
    cells = np.full((48, 48), FREE, np.int8)
    cells[:, unknown] = UNKNOWN
    return FloorMap(cells, 0.05, CORNER)


@pytest.fixture
def at_a_frontier(context: SkillContext) -> SkillContext:
    """A robot before unknown floor."""
    context.perceived = PerceivedFloor(known(slice(0, 10)))
    return context


def test_looks_at_unknown_floor_and_ends_when_none_is_left(
    do: Callable[..., SkillResult], at_a_frontier: SkillContext
) -> None:
    told: list[Feedback] = []
    tilts: list[float] = []

    def show(feedback: Feedback) -> bool:
        told.append(feedback)
        if feedback.stage == "looking around":
            tilts.append(float(at_a_frontier.control.head[1]))
        if feedback.stage == "waiting for the map" and at_a_frontier.perceived is not None:
            at_a_frontier.perceived.latest = known()
        return False

    result = do(Verb.EXPLORE, cancel_when=show)
    assert result.status is SkillStatus.SUCCEEDED
    assert (result.evidence["seen"], result.evidence["views"]) == (1.0, 1)
    assert 0.5 < told[-1].progress < 1.0
    assert min(tilts) < 0.4
    assert max(tilts) > 0.9


def test_a_view_that_cannot_be_reached_is_passed_over_and_told(
    do: Callable[..., SkillResult], at_a_frontier: SkillContext
) -> None:
    at_a_frontier.perceived = PerceivedFloor(FloorMap(np.pad(known().cells, ((0, 0), (0, 60))), 0.05, CORNER))
    at_a_frontier.perceived.map().cells[:, -20:] = UNKNOWN
    motors = [at_a_frontier.model.actuator(name).id for name in at_a_frontier.names.base_joints]
    at_a_frontier.model.actuator_forcerange[motors] = 0.0
    result = do(Verb.EXPLORE)
    assert result.status is SkillStatus.SUCCEEDED
    assert "the base is blocked" in str(result.evidence["problem"])


def test_stops_where_it_is_when_cancelled(
    do: Callable[..., SkillResult], at_a_frontier: SkillContext
) -> None:
    result = do(Verb.EXPLORE, cancel_when=lambda feedback: feedback.stage == "looking around")
    assert result.status is SkillStatus.CANCELLED
    assert np.abs(at_a_frontier.control.base_velocity).max() < 0.05


@pytest.mark.parametrize(
    ("perceived", "status"),
    [(None, SkillStatus.BAD_REQUEST), (PerceivedFloor(), SkillStatus.INACTIVE)],
)
def test_needs_a_perceived_floor_and_a_map(
    do: Callable[..., SkillResult],
    context: SkillContext,
    perceived: PerceivedFloor | None,
    status: SkillStatus,
) -> None:
    context.perceived = perceived
    assert do(Verb.EXPLORE).status is status


def test_ends_after_the_views_that_were_asked_for(
    do: Callable[..., SkillResult], at_a_frontier: SkillContext
) -> None:
    cells = np.pad(known(slice(0, 10)).cells, ((0, 0), (0, 120)))
    cells[:, -20:] = UNKNOWN
    at_a_frontier.perceived = PerceivedFloor(FloorMap(cells, 0.05, CORNER))
    result = do(Verb.EXPLORE, views=1)
    assert result.status is SkillStatus.TIMEOUT
    assert result.evidence["views"] == 1


@pytest.mark.parametrize(("x", "looks"), [(-1.0, True), (1.0, False)])
def test_looks_only_for_the_floor_of_the_room(at_a_frontier: SkillContext, x: float, looks: bool) -> None:
    room = ExploreRequest(Pose((x, 0.0, 0.0)), (0.6, 2.4))
    assert at_a_frontier.perceived is not None
    step = next_step(at_a_frontier, at_a_frontier.perceived, (), room)
    assert (step.view is not None) is looks


def test_goes_towards_a_room_of_which_nothing_is_known(at_a_frontier: SkillContext) -> None:
    far = ExploreRequest(Pose((-6.0, 0.0, 0.0)), (2.0, 2.0))
    assert at_a_frontier.perceived is not None
    step = next_step(at_a_frontier, at_a_frontier.perceived, (), far)
    assert (step.view is not None, step.share) == (True, 0.0)
