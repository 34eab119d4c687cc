"""Events as a recording stores them."""

import pytest
from pydantic import ValidationError

from openral_reasoner.events import EVENT, ModelFailed, PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome


def test_every_event_of_a_mission_is_read_as_it_was_written(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run = run_mission_in_home("bring me the milk", palette, HomePeers(home).answer, decide, settings)
    events = [moment.event for moment in run.moments]
    assert {event.kind for event in events} >= {
        "prompt_received",
        "model_answered",
        "recalled",
        "skill_ended",
    }
    assert [EVENT.validate_json(EVENT.dump_json(event)) for event in events] == events


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "rained"},
        {"id": "p", "text": "stop"},
        {"kind": "prompt_received", "id": "p", "text": "stop", "volume": 3},
        {"kind": "prompt_received", "id": "p", "text": "stop", "source": "stranger"},
        {"kind": "deadline_passed"},
    ],
    ids=["unknown kind", "no kind", "unknown field", "unknown source", "no call"],
)
def test_an_event_that_is_none_is_rejected(content: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EVENT.validate_python(content)


def test_a_prompt_is_from_the_operator_and_a_failure_free_unless_stated() -> None:
    assert PromptReceived(id="p", text="stop").source == "operator"
    assert ModelFailed(call_id="c", condition="TIMEOUT", message="").cost == 0.0
