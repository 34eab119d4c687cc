"""Actions of a policy: shapes, meanings, and the envelope."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rclpy")

from openral_core.policies import ActionSpec, JointLimits
from openral_core.skill_errors import Blocked
from openral_skills_ros.backends.policy.actions import (
    ActionOutsideEnvelope,
    Envelope,
    UnusableAnswer,
    chunk_of,
    is_done,
    positions_of,
)

JOINTS = ("a", "b")
PERIOD = 0.1
LIMITS = JointLimits(range=(-1.0, 1.0), speed=0.5)
ENVELOPE = Envelope(JOINTS, dict.fromkeys(JOINTS, LIMITS), PERIOD)
ZERO = np.zeros(2)


def spec(**group: Any) -> ActionSpec:
    return ActionSpec.model_validate(
        {"layout": [{"joints": JOINTS, **group}], "execute": 5, "done_key": "done"}
    )


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "it has no array 'actions'; its keys are .none."),
        ({"action": np.zeros((2, 2))}, "its keys are action"),
        ({"actions": [[0.0, 0.0]]}, "it has no array 'actions'"),
        ({"actions": np.zeros(2)}, r"has the shape \(2,\), expected \(1 to 1000, 2\)"),
        ({"actions": np.zeros((4, 3))}, r"has the shape \(4, 3\)"),
        ({"actions": np.zeros((0, 2))}, r"has the shape \(0, 2\)"),
        ({"actions": np.zeros((1001, 2))}, r"has the shape \(1001, 2\)"),
        ({"actions": np.zeros((1, 2), bool)}, "holds bool"),
        ({"actions": np.array([[0.0, 0.0], [0.0, np.nan]])}, "number 1 of action 1 is nan"),
        ({"actions": np.array([[-np.inf, 0.0]])}, "number 0 of action 0 is -inf"),
    ],
)
def test_unusable_answers_are_refused(answer: dict[str, object], problem: str) -> None:
    with pytest.raises(UnusableAnswer, match=problem):
        chunk_of(answer, spec())


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ({"kind": "position"}, [[0.1, 0.2], [0.1, 0.2]]),
        ({"kind": "delta"}, [[1.1, 2.2], [1.2, 2.4]]),
        ({"kind": "offset"}, [[5.1, 6.2], [5.1, 6.2]]),
        ({"kind": "velocity"}, [[1.01, 2.02], [1.02, 2.04]]),
        ({"unit_range": (0.5, 0.0)}, [[0.45, 0.4], [0.45, 0.4]]),
    ],
)
def test_each_kind_of_action_becomes_positions(group: dict[str, Any], expected: list[list[float]]) -> None:
    chunk = np.array([[0.1, 0.2], [0.1, 0.2]])
    positions = positions_of(chunk, spec(**group), PERIOD, np.array([1.0, 2.0]), np.array([5.0, 6.0]))
    assert positions == pytest.approx(np.array(expected))


def test_ignored_numbers_move_nothing() -> None:
    layout = [{"joints": ["a"]}, {"ignore": 2}, {"joints": ["b"]}]
    action = ActionSpec.model_validate({"layout": layout, "execute": 1})
    positions = positions_of(np.array([[0.1, 9.0, 9.0, 0.2]]), action, PERIOD, ZERO, ZERO)
    assert positions.tolist() == [[0.1, 0.2]]


@pytest.mark.parametrize(
    ("positions", "problem"),
    [
        ([[0.0, 0.4], [0.0, 1.0]], "jumps by 0.6"),
        ([[0.0, 0.4], [0.0, 0.8], [0.0, 1.06]], "action 2 .* b at 1.06, its range is -1 to 1"),
        ([[1e30, 0.0]], r"a at 1e\+30"),
        ([[-0.51, 0.0]], "action 0 .* a jumps by 0.51, at most 0.5"),
    ],
)
def test_actions_outside_the_envelope_are_refused(positions: list[list[float]], problem: str) -> None:
    with pytest.raises(ActionOutsideEnvelope, match=problem):
        ENVELOPE.check(np.array(positions), ZERO)


@pytest.mark.parametrize("kind", ["position", "delta", "offset", "velocity"])
def test_the_largest_numbers_are_refused(kind: str) -> None:
    chunk = np.array([[1.7e308, 0.0], [1.7e308, 0.0], [-1.7e308, 0.0]])
    positions = positions_of(chunk, spec(kind=kind), PERIOD, ZERO, ZERO)
    with pytest.raises(ActionOutsideEnvelope, match="a at"):
        ENVELOPE.check(positions, ZERO)


def test_a_small_excess_is_limited_to_the_range() -> None:
    positions = np.array([[0.4, 0.0], [0.8, 0.0], [1.04, 0.0]])
    ENVELOPE.check(positions, ZERO)
    assert ENVELOPE.in_range(positions)[2].tolist() == [1.0, 0.0]


@given(st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), min_size=1, max_size=20))
def test_no_command_is_faster_than_the_limit_or_out_of_range(targets: list[tuple[float, float]]) -> None:
    command = ZERO
    for target in targets:
        before, command = command, ENVELOPE.limited(np.array(target), command)
        assert (np.abs(command - before) <= LIMITS.speed * PERIOD + 1e-12).all()
        assert (np.abs(command) <= 1.0).all()


def test_a_joint_that_does_not_follow_is_blocked_unless_it_may_stall() -> None:
    with pytest.raises(Blocked, match=r"b is 0\.4 from its command, at most 0.35"):
        ENVELOPE.check_lag(np.array([0.0, 0.4]), ZERO)
    stalling = LIMITS.model_copy(update={"lag": None})
    Envelope(JOINTS, {"a": LIMITS, "b": stalling}, PERIOD).check_lag(np.array([0.0, 0.4]), ZERO)


def test_the_policy_ends_only_by_its_key() -> None:
    assert is_done({"done": np.True_}, spec())
    assert is_done({"done": np.array([True])}, spec())
    assert not is_done({"done": False}, spec())
    assert not is_done({}, spec())
    with pytest.raises(UnusableAnswer, match="'done' is a str, expected a truth value"):
        is_done({"done": "no"}, spec())
