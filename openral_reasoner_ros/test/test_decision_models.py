"""Brains are chosen by name and refuse in words when they cannot be had."""

import pytest

pytest.importorskip("rclpy")
from openral_core.errors import OpenRALError
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner_ros.decision_models import make_model
from openral_reasoner_ros.parameters import Brain, ReasonerParameters


def test_the_scripted_brain_needs_nothing() -> None:
    assert isinstance(make_model(ReasonerParameters(rskill_folders=())), ScriptedModel)


@pytest.mark.parametrize("brain", [Brain.ANTHROPIC, Brain.OPENAI])
def test_a_vendor_without_a_key_names_the_variable_and_the_ways_out(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(brain.value)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(OpenRALError, match=r"_API_KEY.*base_url.*scripted"):
        make_model(ReasonerParameters(rskill_folders=(), brain=brain, model="m"))


@pytest.mark.parametrize("brain", [Brain.ANTHROPIC, Brain.OPENAI])
def test_a_vendor_without_a_model_says_so(brain: Brain) -> None:
    with pytest.raises(OpenRALError, match="parameter 'model'"):
        make_model(ReasonerParameters(rskill_folders=(), brain=brain))
