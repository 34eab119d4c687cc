"""Recordings replay, tell their first difference, and tell their story."""

import pytest

from openral_reasoner.exchanges.events import Cancelled
from openral_reasoner.homes import Home, HomePeers, Play, play
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.planners import decide
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings import InvalidRecording, read_lines, replay, settings_line, step_line, story


@pytest.fixture
def played(home: Home, palette: ToolPalette, settings: MissionSettings) -> Play:
    return play("bring me the baguette", palette, HomePeers(home).answer, decide, settings)


@pytest.fixture
def lines(played: Play, settings: MissionSettings) -> list[str]:
    return [settings_line(settings), *(step_line(m.now, m.event, m.commands) for m in played.moments)]


def test_a_mission_replays_from_its_lines(lines: list[str]) -> None:
    assert replay(*read_lines(lines)) is None


def test_the_first_difference_names_its_step(lines: list[str]) -> None:
    number = next(i for i, line in enumerate(lines) if '"send_skill"' in line)
    changed = lines[number].replace('"rskill_id":"navigate"', '"rskill_id":"fly"', 1)
    difference = replay(*read_lines([*lines[:number], changed, *lines[number + 1 :]]))
    assert difference is not None
    assert difference.step == number
    assert "fly" in difference.words()


def test_other_settings_decide_otherwise(lines: list[str]) -> None:
    _, steps = read_lines(lines)
    assert replay(MissionSettings(default_requester="somebody"), steps) is not None


def test_a_broken_line_is_named(lines: list[str]) -> None:
    with pytest.raises(InvalidRecording, match="line 3"):
        read_lines([*lines[:2], '{"now": 1}', *lines[3:]])


def test_the_story_tells_what_was_asked_found_and_done(lines: list[str]) -> None:
    told = "\n".join(story(read_lines(lines)[1]))
    for words in (
        "the operator says: 'bring me the baguette'",
        "asked memory for 'baguette': not in memory",
        "sim-locator looked for 'baguette': found",
        "GRASP baguette: succeeded",
        "the decisions cost nothing",
        "the mission ends, succeeded",
    ):
        assert words in told


def test_the_story_has_nothing_to_tell_after_the_last_end(
    lines: list[str], played: Play, settings: MissionSettings
) -> None:
    core_is_idle = step_line(played.moments[-1].now, Cancelled(reason="the node shuts down"), ())
    told = list(story(read_lines([*lines, core_is_idle])[1]))
    assert "the mission ends" in told[-1]
