"""Commands as a recording stores them."""

import pytest
from pydantic import ValidationError

from openral_reasoner.commands import COMMAND
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome


def test_every_command_of_a_mission_is_read_as_it_was_written(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    run = run_mission_in_home("bring me the milk", palette, HomePeers(home).answer, decide, settings)
    kinds = {command.kind for command in run.commands}
    assert kinds >= {"ask_model", "send_skill", "call_recall", "set_deadline", "end_mission"}
    assert [COMMAND.validate_json(COMMAND.dump_json(item)) for item in run.commands] == run.commands


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "explode"},
        {"call_id": "c1"},
        {"kind": "clear_deadline", "call_id": "c1", "soon": True},
        {"kind": "clear_deadline"},
        {"kind": "change_state", "call_id": "c1", "peer": "locator", "transition": "shutdown"},
    ],
    ids=["unknown kind", "no kind", "unknown field", "no call", "unknown transition"],
)
def test_a_command_that_is_none_is_rejected(content: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        COMMAND.validate_python(content)
