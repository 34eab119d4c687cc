"""Public names do not change by accident; `goldens.interfaces` records intended changes."""

import json

import pytest

pytest.importorskip("openral_msgs")
from goldens.interfaces import AGAIN, difference, kept, surface

PARTS = ("launch_arguments", "robot_launch_arguments", "commands", "exit_codes")


@pytest.fixture(scope="module")
def found() -> dict[str, object]:
    return dict(json.loads(json.dumps(surface())))


@pytest.mark.parametrize("part", PARTS)
def test_launch_arguments_command_lines_and_exit_codes_are_as_recorded(
    part: str, found: dict[str, object]
) -> None:
    different = difference(kept()[part], found[part])
    assert not different, different


def test_every_command_and_every_kind_of_thing_is_recorded() -> None:
    recorded = kept()
    assert set(recorded) == {*PARTS, "graph"}
    assert {
        "deploy_sim",
        "deploy_robot",
        "openral prompt",
        "openral mission cancel",
        "openral doctor",
    } <= set(recorded["commands"])
    assert recorded["commands"]["openral prompt"]["exit_codes"] == [0, 1, 3, 4, 5]
    assert recorded["exit_codes"]["in_documents"] == [0, 1, 2, 3, 4, 5, 130]
    assert recorded["graph"]["/reasoner"]["subscribes"]["/openral/prompt"] == "openral_msgs/msg/PromptStamped"


def test_what_has_changed_is_told_with_how_to_record_it() -> None:
    recorded = kept()
    changed = json.loads(json.dumps(recorded))
    changed["launch_arguments"]["seeds"] = changed["launch_arguments"].pop("seed")
    reported = difference(recorded, changed)
    assert '-  "seed": {' in reported
    assert '+  "seeds": {' in reported
    assert reported.endswith(AGAIN)
    assert difference(recorded, recorded) == ""
