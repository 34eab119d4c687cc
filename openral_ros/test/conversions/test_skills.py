"""Conversions of skill goals and results."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.skills import SkillGoal, SkillResult, SkillStatus

pytest.importorskip("openral_msgs")
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import KeyValue
from openral_ros.conversions import skills
from openral_ros.conversions.skills import UnknownParameterType

numbers = st.floats(-1e3, 1e3, allow_nan=False)
poses = st.builds(Pose.planar, numbers, numbers, st.floats(-3.1, 3.1), numbers)
params = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.one_of(st.text(max_size=8), numbers, st.integers(-(2**60), 2**60), st.booleans(), poses),
    max_size=5,
)


@given(params)
def test_typed_parameters_survive(given_params: dict[str, object]) -> None:
    goal = SkillGoal("grasp", "take it", given_params, 2.5)  # type: ignore[arg-type]
    returned = skills.skill_goal_from_message(skills.skill_goal_message(goal, "00-a-b-01"))
    assert (returned.rskill_id, returned.prompt, returned.deadline) == ("grasp", "take it", 2.5)
    assert returned.params.keys() == goal.params.keys()
    for key, value in goal.params.items():
        back = returned.params[key]
        assert type(back) is type(value)
        assert close(back, value) if isinstance(value, Pose) else back == value  # type: ignore[arg-type]


def test_a_parameter_of_no_known_type_is_refused_by_name() -> None:
    with pytest.raises(UnknownParameterType, match="'speed' has type 9"):
        skills.params_of([KeyValue(key="speed", type=9)])


def test_skill_results_survive() -> None:
    result = SkillResult(SkillStatus.NOT_REACHABLE, "too far", {"distance": 1.5})
    message = skills.fill_skill_result(ExecuteRskill.Result(), result)
    assert not message.success
    assert skills.skill_result_from_message(message) == result


def close(first: Pose, second: Pose) -> bool:
    same = np.allclose(first.position, second.position) and np.allclose(
        np.abs(np.dot(first.orientation, second.orientation)), 1.0
    )
    return bool(same)
