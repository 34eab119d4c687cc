"""Views of the robots: presence, restarts, idleness and hung reasoners."""

from openral_core.missions import MissionState
from openral_fleet.events import MissionReported
from openral_fleet.robot_views import RobotViews
from openral_fleet.robots import RobotState
from openral_fleet.settings import HANGS_AFTER, IDLE_AFTER, REPORTS_WITHIN

IDLE = MissionReported("/r1", "", MissionState.IDLE)
BUSY = MissionReported("/r1", "p", MissionState.ACTIVE, "m")


def robot(session: str = "a", **more: str) -> RobotState:
    return RobotState("/r1", session, **more)  # type: ignore[arg-type]


def test_an_unknown_robot_is_absent() -> None:
    assert not RobotViews().view("/r9", 0.0).is_present


def test_a_robot_that_is_no_longer_reported_is_absent() -> None:
    views = RobotViews()
    views.report(robot(), 0.0)
    assert views.view("/r1", REPORTS_WITHIN - 1.0).is_present
    assert not views.view("/r1", REPORTS_WITHIN).is_present


def test_a_robot_is_idle_if_it_reports_no_mission_and_runs_no_skill() -> None:
    views = RobotViews()
    views.report(robot(), 0.0)
    views.note(IDLE, 0.0)
    assert [each.name for each in views.idle(0.0)] == ["/r1"]
    views.note(BUSY, 0.0)
    assert views.idle(0.0) == []
    views.note(IDLE, 0.0)
    views.report(robot(busy="GRASP"), 0.0)
    assert views.idle(0.0) == []
    views.report(robot(), 0.0)
    views.pause("/r1", 5.0)
    assert views.idle(1.0) == []
    assert len(views.idle(5.0)) == 1


def test_the_status_of_an_earlier_process_does_not_count() -> None:
    views = RobotViews()
    views.report(robot("a"), 0.0)
    views.note(BUSY, 0.0)
    views.report(robot("b"), 1.0)
    assert views.view("/r1", 1.0).status is None
    assert views.idle(1.0) == []
    assert len(views.idle(1.0 + IDLE_AFTER)) == 1, "an idle reasoner does not repeat its status"


def test_a_process_may_report_a_mission_before_it_is_known() -> None:
    views = RobotViews()
    views.report(robot("a"), 0.0)
    views.report(robot(""), 1.0)
    views.note(BUSY, 2.0)
    views.report(robot("b"), 3.0)
    assert views.view("/r1", 3.0).status == BUSY


def test_a_robot_that_was_out_of_sight_keeps_its_status() -> None:
    views = RobotViews()
    views.report(robot("a"), 0.0)
    views.note(IDLE, 0.0)
    views.report(robot(""), 1.0)
    views.report(robot("a"), 2.0)
    assert views.view("/r1", 2.0).status == IDLE


def test_a_hung_reasoner_is_not_counted_on() -> None:
    views = RobotViews()
    views.report(robot(), 0.0)
    views.note(BUSY, 0.0)
    views.report(robot(), HANGS_AFTER)
    assert views.present(HANGS_AFTER - 1.0)
    assert views.present(HANGS_AFTER) == []
