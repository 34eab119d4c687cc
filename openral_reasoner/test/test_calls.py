"""Whatever a model writes is a checked call or is sent back."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import Verb
from openral_reasoner.behaviors.skill_goal import MissingParameter, bind
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.context import RawCall
from openral_reasoner.palette.entries import SkillEntry, ToolPalette
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.recall_object import RecallObjectTool
from openral_reasoner.tools.registry import MalformedCall, parse_call

OFFERED = ToolPalette(spatial_memory_available=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5
)


def test_a_good_call_is_its_tool() -> None:
    call = parse_call(RawCall(tool="recall_object", arguments='{"query": "mug"}'), OFFERED)
    assert call == RecallObjectTool(query="mug")


@given(
    st.text(max_size=20), st.one_of(st.text(max_size=60), st.dictionaries(st.text(), JSON).map(json.dumps))
)
def test_any_words_are_a_call_or_sent_back(tool: str, arguments: str) -> None:
    for name in (tool, "recall_object", "done"):
        with suppress(InvalidCall, MalformedCall):
            assert parse_call(RawCall(tool=name, arguments=arguments), OFFERED).tool == name


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[]",
        "null",
        '{"query": ""}',
        '{"query": "mug", "pose": [1, 2]}',
        '{"query": "\\ud800"}',
        "[" * 100_000,
    ],
)
def test_malformed_arguments_are_sent_back(arguments: str) -> None:
    with pytest.raises(MalformedCall, match="recall_object"):
        parse_call(RawCall(tool="recall_object", arguments=arguments), OFFERED)


def test_a_tool_that_is_not_offered_names_those_that_are() -> None:
    with pytest.raises(InvalidCall, match="'recall_object', 'resolve_place'") as refused:
        parse_call(RawCall(tool="locate_in_view", arguments='{"query": "mug"}'), OFFERED)
    assert "locate_in_view" not in refused.value.valid


def skill(*specs: ParameterSpec) -> SkillEntry:
    pose = ParameterSpec(name="target", type=ParameterType.POSE, description="in map")
    return SkillEntry(id="pour", verb=Verb.POUR, description="pour", parameters=(pose, *specs), deadline=1.0)


def thing(pose: Pose | None = None) -> KnownObject:
    return KnownObject("mug_1", "mug", "object", pose or Pose(), size=(0.1, 0.1, 0.2))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterType.INT, 2**80),
        (ParameterType.FLOAT, float("inf")),
        (ParameterType.FLOAT, float("nan")),
        (ParameterType.INT, True),
        (ParameterType.STRING, 3),
        (ParameterType.BOOL, 1),
    ],
)
def test_what_no_message_can_hold_is_not_given(kind: ParameterType, value: float) -> None:
    spec = ParameterSpec(name="amount", type=kind, description="how much")
    with pytest.raises(MissingParameter, match="amount"):
        bind(skill(spec), thing(), {"amount": value})


def test_a_pose_is_the_things_own_whatever_the_model_says() -> None:
    pose = Pose((1.0, 2.0, 3.0))
    assert bind(skill(), thing(pose), {"target": "somewhere"}) == {"target": pose}


@pytest.mark.parametrize(("containers", "told"), [((), ""), (("drawer_1",), "drawer_1")])
def test_a_skill_is_told_what_the_thing_lies_in(containers: tuple[str, ...], told: str) -> None:
    inside = ParameterSpec(name="inside", type=ParameterType.STRING, description="of what")
    assert bind(skill(inside), replace(thing(), containers=containers), {})["inside"] == told
