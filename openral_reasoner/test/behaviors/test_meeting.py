"""Meeting people who walk on while the robot drives."""

from collections.abc import Callable

import pytest

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus
from openral_core.spatial_memory import (
    NodeKind,
    ObserveResult,
    ObserveStatus,
    RecallMatch,
    ResolveResult,
    ResolveStatus,
)
from openral_reasoner.behaviors.meeting import MEETINGS, meet, walks
from openral_reasoner.commands import CallLocate, CallObserve, CallResolve, Command, SendSkill
from openral_reasoner.events import Event, Located, Observed, Resolved, SkillEnded
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import MissionObject
from openral_testing.reasoner.simulator import run_procedure

SOFA, TABLE = Pose((1.0, 0.0, 0.9)), Pose((4.0, 3.0, 0.9))
PERSON = MissionObject("person_1", "person", NodeKind.AGENT.value, SOFA, standing=Pose.planar(0.2, 0.0, 0.0))
Answer = Callable[[Command], Event | None]


class Flat:
    """A home with one person; ``steps`` are where they are, one after each drive; None: out of view."""

    def __init__(self, *steps: Pose | None, in_view: bool = True) -> None:
        self.steps, self.drives, self.in_view = list(steps), 0, in_view
        self.handed: list[str] = []

    @property
    def person(self) -> Pose | None:
        return self.steps[min(max(self.drives - 1, 0), len(self.steps) - 1)]

    def answer(self, command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            self.drives += command.goal.rskill_id == "navigate"
            return SkillEnded(call_id=command.call_id, result=SkillResult(SkillStatus.SUCCEEDED, "done"))
        if isinstance(command, CallLocate):
            return Located(call_id=command.call_id, result=self._look(command))
        if isinstance(command, CallObserve):
            assert self.person is not None
            match = RecallMatch("person_1", "person", 0.9, self.person, (0.5, 0.5, 1.7), "seen", Pose())
            result = ObserveResult(ObserveStatus.REMEMBERED, "stored", (match,))
            return Observed(call_id=command.call_id, result=result)
        if isinstance(command, CallResolve):
            at = PERSON.pose if command.query.reference == "person_1" else Pose()
            found = ResolveResult(
                ResolveStatus.FOUND, "", Pose(), at, NodeKind.ROOM.value, command.query.reference
            )
            return Resolved(call_id=command.call_id, result=found)
        return None

    def _look(self, call: CallLocate) -> LocateResult:
        if self.person is None or not self.in_view:
            return LocateResult(
                LocateStatus.NOT_IN_VIEW, "not in view", call.query, call.camera, call.detector
            )
        box = Detection(Box(1.0, 1.0, 9.0, 9.0), "person", 0.9)
        return LocateResult(LocateStatus.FOUND, "found", call.query, call.camera, call.detector, (box,))


def met(mission: Mission, flat: Flat) -> tuple[SkillResult, MissionObject]:
    done, _ = run_procedure(mission, meet(mission, PERSON), flat.answer)
    return done


def test_only_people_whom_the_cameras_saw_are_taken_to_walk() -> None:
    assert walks(PERSON)
    assert not walks(MissionObject("requester", "requester", "agent", SOFA))


def test_a_person_who_stayed_is_met_with_one_drive(mission: Mission) -> None:
    flat = Flat(SOFA)
    result, person = met(mission, flat)
    assert (result.success, flat.drives, person.pose) == (True, 1, SOFA)


def test_a_person_who_walked_on_is_followed(mission: Mission) -> None:
    flat = Flat(TABLE)
    result, person = met(mission, flat)
    assert (result.success, flat.drives, person.pose) == (True, 2, TABLE)


def test_a_person_who_is_gone_is_searched_for_in_the_rooms(mission: Mission) -> None:
    flat = Flat(None, None, TABLE)
    result, person = met(mission, flat)
    assert result.success
    assert person.pose == TABLE


def test_a_search_without_a_person_ends_and_says_so(mission: Mission) -> None:
    result, _ = met(mission, Flat(None))
    assert result.status is SkillStatus.NOTHING_THERE
    assert "neither at their last place nor in the rooms" in result.message


def test_a_person_who_keeps_walking_is_followed_a_bounded_number_of_times(mission: Mission) -> None:
    flat = Flat(*(Pose((3.0 * number, 0.0, 0.9)) for number in range(1, 20)))
    met(mission, flat)
    assert flat.drives == MEETINGS


@pytest.fixture(autouse=True)
def rooms(mission: Mission) -> None:
    assert any(each.kind is NodeKind.ROOM for each in mission.palette.places), "rooms to search"
