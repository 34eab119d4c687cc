"""Goals against manifests."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.rskills import Registry
from openral_core.skill_errors import BadRequest, UnservedVerb
from openral_core.skill_requests import validate_goal
from openral_core.skills import ParamValue, SkillGoal, Verb

REGISTRY = Registry.load([Path(__file__).parents[2] / "rskills"])
SERVED = tuple(Verb)
HERE = Pose.planar(1.0, 2.0, 0.0)
MUG: dict[str, ParamValue] = {"target": HERE, "label": "red mug"}


def test_a_goal_that_fits_gets_its_manifests_deadline() -> None:
    admitted = validate_goal(SkillGoal("navigate", "", {"goal": HERE}), REGISTRY, SERVED)
    assert (admitted.verb, admitted.deadline) == (Verb.NAVIGATE, 90.0)


def test_a_deadline_of_its_own_counts() -> None:
    assert validate_goal(SkillGoal("navigate", "", {"goal": HERE}, 7.0), REGISTRY, SERVED).deadline == 7.0


def test_an_id_may_be_given_as_its_slug() -> None:
    assert validate_goal(SkillGoal("look_at", "", {"target": HERE}), REGISTRY, SERVED).rskill_id == "look-at"


def test_whole_numbers_are_lengths_too() -> None:
    admitted = validate_goal(SkillGoal("grasp", "", {**MUG, "size_x": 0}), REGISTRY, SERVED)
    assert admitted.params["size_x"] == 0


@pytest.mark.parametrize(
    ("rskill", "params", "deadline", "words"),
    [
        ("teleport", {}, 0.0, "unknown skill 'teleport'"),
        ("grasp", {"target": HERE}, 0.0, "parameter 'label' (string) is missing"),
        ("grasp", {**MUG, "force": 3.0}, 0.0, "unknown parameter 'force'"),
        ("grasp", {**MUG, "size_x": "big"}, 0.0, "'size_x' must be a float, found str 'big'"),
        ("grasp", {**MUG, "size_x": True}, 0.0, "'size_x' must be a float, found bool True"),
        ("grasp", {**MUG, "size_x": float("nan")}, 0.0, "'size_x' must be finite"),
        ("navigate", {"goal": HERE}, -1.0, "deadline must be a time"),
        ("navigate", {"goal": HERE}, float("inf"), "deadline must be a time"),
    ],
)
def test_what_does_not_fit_is_named(
    rskill: str, params: dict[str, ParamValue], deadline: float, words: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        validate_goal(SkillGoal(rskill, "", params, deadline), REGISTRY, SERVED)
    assert words in str(caught.value)


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(BadRequest, match=r"'goal' \(pose\) is missing; unknown parameter 'gaol'"):
        validate_goal(SkillGoal("navigate", "", {"gaol": HERE}), REGISTRY, SERVED)


def test_a_verb_the_robot_does_not_serve_is_told_apart() -> None:
    with pytest.raises(UnservedVerb, match="'LOOK_AT'"):
        validate_goal(SkillGoal("navigate", "", {"goal": HERE}), REGISTRY, [Verb.LOOK_AT])


VALUES = st.one_of(st.text("abc"), st.floats(), st.integers(), st.booleans(), st.just(HERE))


@given(params=st.dictionaries(st.sampled_from(["target", "label", "size_x", "other"]), VALUES))
def test_only_goals_that_fit_are_admitted(params: dict[str, ParamValue]) -> None:
    fits = (
        set(params) <= {"target", "label", "size_x"}
        and isinstance(params.get("target"), Pose)
        and isinstance(params.get("label"), str)
        and type(params.get("size_x", 0)) in (int, float)
        and abs(params.get("size_x", 0)) < float("inf")
    )
    try:
        validate_goal(SkillGoal("grasp", "", params), REGISTRY, SERVED)
    except BadRequest:
        assert not fits
    else:
        assert fits
