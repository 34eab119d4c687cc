"""Tests that every skill server must pass; see docs/skill-servers.md."""

from collections.abc import Callable
from math import isnan

import pytest
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from unique_identifier_msgs.msg import UUID

from openral_core import CONTRACT_VERSION
from openral_core.rskills import Registry
from openral_core.skills import SkillStatus, Verb
from openral_ros.emergency_stop import RELEASE_SERVICE, STOP_SERVICE
from openral_testing.skills.goals import MALFORMED, RobotGoals, malformed, unserved_goals
from openral_testing.skills.subject import (
    REFUSAL_TIMEOUT,
    STANDSTILL,
    STOP_TIMEOUT,
    SUCCESS_TIMEOUT,
    GoalReply,
    SentGoal,
    SkillServerUnderTest,
)

FEEDBACK_TIMEOUT = 10.0
"""Longest wait for the first feedback of the long goal [s]."""
REPEAT_TIMEOUT = 5.0
"""Time in which the catalogue must be repeated [s]: it is due once a second."""
DEADLINE = 1.0
"""Deadline given to the long goal [s]."""
BURST = 16
"""Goals sent at once [count]."""
UNKNOWN_GOAL = UUID(uuid=list(range(16)))


def begin(server: SkillServerUnderTest, goals: RobotGoals, deadline: float = 0.0) -> SentGoal:
    """Send the long goal and wait until the robot is at it."""
    message = goals.long.message()
    message.deadline = deadline
    sent = server.send(message)
    server.wait("give feedback", lambda: sent.feedback or not sent.running, FEEDBACK_TIMEOUT)
    assert sent.running, f"the long goal ended at once: {sent.reply(REFUSAL_TIMEOUT).result.message}"
    return sent


def check_standstill(server: SkillServerUnderTest, measured: dict[str, float]) -> None:
    """Check that nothing runs and the base stands still; without its transform that is told as NaN."""
    server.become_idle()
    motion = server.motion()
    worst = measured.get("motion after the end of a goal [m]", 0.0)
    measured["motion after the end of a goal [m]"] = motion if isnan(motion) else max(worst, motion)
    assert isnan(motion) or motion < STANDSTILL


def reach_quick_goal(server: SkillServerUnderTest, goals: RobotGoals) -> GoalReply:
    """Check that the server still works."""
    reply = server.send(goals.quick.message()).reply(SUCCESS_TIMEOUT)
    assert reply.status is SkillStatus.SUCCEEDED, reply.result.message
    return reply


def test_the_catalogue_names_the_verbs_and_is_repeated(
    server: SkillServerUnderTest, goals: RobotGoals, registry: Registry
) -> None:
    """The reasoner offers what is announced, and forgets a server that falls silent."""
    catalogue, heard = server.catalogue, len(server.catalogues)
    wanted = {registry.skill(goal.rskill).verb for goal in (goals.quick, goals.long)}
    assert catalogue.contract_version.split(".")[0] == CONTRACT_VERSION.split(".", maxsplit=1)[0]
    assert set(catalogue.verbs) <= set(Verb)
    assert wanted <= set(catalogue.verbs)
    assert len(set(catalogue.verbs)) == len(catalogue.verbs)
    server.wait("repeat its catalogue", lambda: len(server.catalogues) >= heard + 2, REPEAT_TIMEOUT)


def test_a_goal_is_reached_and_its_result_can_be_asked_for_again(
    server: SkillServerUnderTest, goals: RobotGoals
) -> None:
    """A client that asks late, as after a lost message, gets the same result."""
    sent = server.send(goals.quick.message())
    first, again = sent.reply(SUCCESS_TIMEOUT), sent.ask_again()
    assert first.status is SkillStatus.SUCCEEDED, first.result.message
    assert (again.end, again.result) == (first.end, first.result)


def test_a_running_goal_is_reported(
    server: SkillServerUnderTest, goals: RobotGoals, registry: Registry
) -> None:
    """Feedback has a stage and a progress in [0, 1]; the catalogue says what the robot is busy with."""
    sent, verb = begin(server, goals), registry.skill(goals.long.rskill).verb
    server.wait("publish what it is busy with", lambda: server.catalogue.busy_with == verb, REPEAT_TIMEOUT)
    assert all(told.stage and 0.0 <= told.progress <= 1.0 for told in sent.feedback)
    sent.cancel()
    sent.reply(STOP_TIMEOUT)


def test_a_cancelled_goal_ends_with_the_robot_at_rest(
    server: SkillServerUnderTest, goals: RobotGoals, measured: dict[str, float]
) -> None:
    """The result comes when the robot has stopped, not when it was told to."""
    sent = begin(server, goals)
    before = sent.elapsed
    sent.cancel()
    reply = sent.reply(STOP_TIMEOUT)
    measured["result after a cancellation [s]"] = reply.seconds - before
    assert (reply.status, reply.end) == (SkillStatus.CANCELLED, GoalStatus.STATUS_CANCELED)
    check_standstill(server, measured)
    reach_quick_goal(server, goals)


def test_a_goal_that_is_cancelled_at_once_ends_cancelled(
    server: SkillServerUnderTest, goals: RobotGoals, measured: dict[str, float]
) -> None:
    """Nothing has begun to move yet, or stops again."""
    sent = server.send(goals.long.message())
    sent.cancel()
    assert sent.reply(STOP_TIMEOUT).status is SkillStatus.CANCELLED
    check_standstill(server, measured)


def test_cancelling_every_goal_ends_the_one_that_runs(
    server: SkillServerUnderTest, goals: RobotGoals, measured: dict[str, float]
) -> None:
    """The zero id, as an emergency tool sends it without knowing the goal."""
    sent = begin(server, goals)
    assert server.cancel(UUID()) == CancelGoal.Response.ERROR_NONE
    sent.cancelled = True
    assert sent.reply(STOP_TIMEOUT).status is SkillStatus.CANCELLED
    check_standstill(server, measured)


def test_cancelling_an_unknown_or_an_ended_goal_changes_nothing(
    server: SkillServerUnderTest, goals: RobotGoals
) -> None:
    """A cancellation that comes too late is refused and stops no other goal."""
    ended = server.send(goals.quick.message())
    ended.reply(SUCCESS_TIMEOUT)
    sent = begin(server, goals)
    for goal_id in (UNKNOWN_GOAL, ended.goal_id):
        assert server.cancel(goal_id) != CancelGoal.Response.ERROR_NONE
    assert sent.running
    sent.cancel()
    sent.reply(STOP_TIMEOUT)


def test_a_late_goal_is_stopped_and_times_out(
    server: SkillServerUnderTest, goals: RobotGoals, measured: dict[str, float]
) -> None:
    """The deadline counts wall-clock time from the acceptance of the goal."""
    message = goals.long.message()
    message.deadline = DEADLINE
    reply = server.send(message).reply(DEADLINE + STOP_TIMEOUT)
    measured["result after a deadline [s]"] = reply.seconds - DEADLINE
    assert (reply.status, reply.end) == (SkillStatus.TIMEOUT, GoalStatus.STATUS_ABORTED)
    check_standstill(server, measured)


@pytest.mark.parametrize("fault", MALFORMED)
def test_a_malformed_goal_is_refused_in_words(
    server: SkillServerUnderTest, goals: RobotGoals, measured: dict[str, float], fault: str
) -> None:
    """It is accepted, and aborted with BAD_REQUEST before anything moves."""
    heard = len(server.catalogues)
    reply = server.send(malformed(goals.long.message(), fault)).reply(REFUSAL_TIMEOUT)
    worst = measured.get("longest refusal [s]", 0.0)
    measured["longest refusal [s]"] = max(worst, reply.seconds)
    assert reply.status is SkillStatus.BAD_REQUEST, reply.result.message
    assert not any(catalogue.busy_with for catalogue in server.catalogues[heard:])


def test_a_verb_that_is_not_offered_is_refused(server: SkillServerUnderTest, registry: Registry) -> None:
    """A client that knows the manifests but not the robot."""
    refused = unserved_goals(registry, list(server.catalogue.verbs))
    if not refused:
        pytest.skip("the server offers every verb that has a manifest")
    for goal in refused:
        reply = server.send(goal).reply(REFUSAL_TIMEOUT)
        assert reply.status in (SkillStatus.UNSUPPORTED, SkillStatus.INACTIVE), goal.rskill_id


def test_it_works_after_every_refusal(server: SkillServerUnderTest, goals: RobotGoals) -> None:
    """Malformed goals, sent at once, cost nothing but themselves."""
    sent = [server.send(malformed(goals.long.message(), fault)) for fault in MALFORMED]
    assert {goal.reply(REFUSAL_TIMEOUT).status for goal in sent} == {SkillStatus.BAD_REQUEST}
    reach_quick_goal(server, goals)


def test_one_of_many_goals_runs_and_the_others_are_busy(
    server: SkillServerUnderTest, goals: RobotGoals
) -> None:
    """A refused goal leaves the running one alone."""
    sent = begin(server, goals)
    others = [server.send(goals.quick.message()) for _ in range(BURST)]
    assert {other.reply(REFUSAL_TIMEOUT).status for other in others} == {SkillStatus.BUSY}
    assert sent.running
    sent.cancel()
    assert sent.reply(STOP_TIMEOUT).status is SkillStatus.CANCELLED
    reach_quick_goal(server, goals)


def test_a_goal_sent_twice_under_one_id_runs_once(server: SkillServerUnderTest, goals: RobotGoals) -> None:
    """A repeated request is rejected, also after the first one has ended."""
    sent = begin(server, goals)
    assert not server.send(goals.long.message(), sent.goal_id).accepted
    assert sent.running
    sent.cancel()
    sent.reply(STOP_TIMEOUT)
    assert not server.send(goals.long.message(), sent.goal_id).accepted


def test_an_emergency_stop_ends_the_goal_and_lasts_until_its_release(
    server: SkillServerUnderTest, goals: RobotGoals, measured: dict[str, float]
) -> None:
    """While it lasts, nothing is offered and every goal is refused."""
    sent = begin(server, goals)
    before = sent.elapsed
    server.trigger(STOP_SERVICE)
    try:
        reply = sent.reply(STOP_TIMEOUT)
        measured["result after an emergency stop [s]"] = reply.seconds - before
        assert reply.status is SkillStatus.CANCELLED
        check_standstill(server, measured)
        assert not server.catalogue.verbs
        refused = server.send(goals.quick.message()).reply(REFUSAL_TIMEOUT)
        assert refused.status is SkillStatus.INACTIVE
    finally:
        server.trigger(RELEASE_SERVICE)
    server.wait("offer its verbs again", lambda: server.catalogue.verbs, REPEAT_TIMEOUT)
    reach_quick_goal(server, goals)


def test_a_restarted_server_has_left_nothing_running(
    server: SkillServerUnderTest,
    goals: RobotGoals,
    restart: Callable[[], None],
    measured: dict[str, float],
) -> None:
    """Whatever the killed server had begun has ended, and the next goal is reached."""
    begin(server, goals)
    restart()
    server.reconnect()
    check_standstill(server, measured)
    reach_quick_goal(server, goals)
