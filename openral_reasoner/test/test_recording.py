"""Recordings replay and tell their story; interned values are read back as they were written."""

import json
import math
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_reasoner import interning
from openral_reasoner.core.mission_core import Core, handle_safely
from openral_reasoner.events import Cancelled, PaletteChanged, PromptReceived, SceneRead
from openral_reasoner.interning import Interner
from openral_reasoner.palette.entries import LocatorEntry, ToolPalette
from openral_reasoner.recording import LineWriter
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.recordings import interned_values
from openral_testing.recordings.interned_values import Outliner, TooMuch, UnknownMark
from openral_testing.recordings.lives import (
    InvalidRecording,
    read_lines,
    read_lives,
    settings_line,
    step_line,
)
from openral_testing.recordings.replay import render_story, replay, stories


@pytest.fixture
def played(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home("bring me the baguette", palette, HomePeers(home).answer, decide, settings)


@pytest.fixture
def lines(played: MissionRun, settings: MissionSettings) -> list[str]:
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


DECISIVE = {
    "another skill": ('"rskill_id":"navigate"', '"rskill_id":"fly"'),
    "another place": ('"goal":{"position":[5.2,', '"goal":{"position":[5.3,'),
    "another id of a call": ('locate","kind":"call_locate"', 'look","kind":"call_locate"'),
    "another deadline": ('"kind":"set_deadline","seconds":70.0', '"kind":"set_deadline","seconds":71.0'),
    "another outcome of a call": ('"status":"NOT_IN_VIEW"', '"status":"FOUND"'),
    "another state at the end": ('"state":3,"reason"', '"state":4,"reason"'),
    "another id to choose from": (r"\"enum\": [\"", r"\"enum\": [\"moon\", \""),
    "no text where there was one": ('"step":"deciding"', '"step":""'),
}
WORDED = {
    "what is done": ('"step":"', '"step":"slowly '),
    "what the model is told first": ('"system":"', '"system":"Please. '),
    "what a tool is said to be": (
        '"name":"recall_object","description":"',
        '"name":"recall_object","description":"Well: ',
    ),
    "what a skill is told": ('"prompt":"', '"prompt":"kindly '),
    "the reply to a call": ('"text":"', '"text":"Listen: '),
    "a step of the trace": ('"name":"execute_tool ', '"name":"call '),
}


def edited(texts: list[str], was: str, now: str) -> list[str]:
    """The recording with the first command changed in which this stands."""
    for number, text in enumerate(texts):
        event, mark, commands = text.partition('"commands":')
        if was in commands:
            return [*texts[:number], event + mark + commands.replace(was, now, 1), *texts[number + 1 :]]
    raise AssertionError(f"{was} is in no command")


@pytest.mark.parametrize(("was", "now"), DECISIVE.values(), ids=DECISIVE)
def test_a_decision_that_differs_is_found_whether_texts_count_or_not(
    was: str, now: str, lines: list[str]
) -> None:
    settings, steps = read_lines(edited(lines, was, now))
    assert replay(settings, steps) is not None
    difference = replay(settings, steps, ignore_text=True)
    assert difference is not None
    assert difference.recorded != difference.replayed


@pytest.mark.parametrize(("was", "now"), WORDED.values(), ids=WORDED)
def test_other_words_are_a_difference_unless_texts_are_left_aside(
    was: str, now: str, lines: list[str]
) -> None:
    settings, steps = read_lines(edited(lines, was, now))
    assert replay(settings, steps) is not None
    assert replay(settings, steps, ignore_text=True) is None


def test_commands_in_another_order_are_a_difference(lines: list[str]) -> None:
    settings, steps = read_lines(lines)
    number = next(number for number, step in enumerate(steps) if len(step.commands) > 1)
    turned = replace(steps[number], commands=steps[number].commands[::-1])
    given = [*steps[:number], turned, *steps[number + 1 :]]
    difference = replay(settings, given, ignore_text=True)
    assert difference is not None
    assert difference.step == number + 1


def test_a_command_that_is_missing_or_one_too_many_is_a_difference(lines: list[str]) -> None:
    settings, steps = read_lines(lines)
    last = steps[-1]
    for commands in (last.commands[:-1], (*last.commands, last.commands[-1])):
        difference = replay(settings, [*steps[:-1], replace(last, commands=commands)], ignore_text=True)
        assert difference is not None
        assert "nothing" in (difference.recorded, difference.replayed)


def test_a_long_command_is_shown_where_it_differs(lines: list[str]) -> None:
    difference = replay(*read_lines(edited(lines, '"remaining":"', '"remaining":"Still ')))
    assert difference is not None
    assert '"remaining":"Still ' in difference.recorded
    assert len(difference.words()) < 5000


def test_other_settings_decide_otherwise(lines: list[str]) -> None:
    _, steps = read_lines(lines)
    assert replay(MissionSettings(default_requester="somebody"), steps) is not None


def test_a_broken_line_is_named(lines: list[str]) -> None:
    with pytest.raises(InvalidRecording, match="line 3"):
        read_lines([*lines[:2], '{"now": 1}', *lines[3:]])


@pytest.mark.parametrize(
    "line", ["this is no line", '{"now": 1}', '{"settings": 3}', "[" * 5000, '{"now": NaN}']
)
def test_a_damaged_line_costs_that_line_and_is_told(lines: list[str], line: str) -> None:
    (life,) = read_lives([*lines[:5], line, *lines[5:]])
    assert life.steps == read_lines(lines)[1]
    assert (life.damaged, life.torn) == ((6,), False)
    assert "1 damaged lines of the recording are left out (line 6)" in "\n".join(stories([life]))


def unfolding(levels: int, mark: str) -> list[str]:
    """Return lines whose references stand for ten times the value before, ``levels`` times."""
    values: list[object] = [{"@": 1, "=": ["x"] * 10}]
    for number in range(2, levels + 2):
        inner: object = [{"@": number - 1}] * 10
        values.append({"@": number, "~": {"@": 0, "+": inner} if mark == "+" else inner})
    head = json.dumps({"settings": {}, "interned": True})
    return [head, json.dumps({"now": 0.0, "event": values, "commands": []}), head]


@pytest.mark.parametrize("mark", ["+", "~"])
def test_references_that_unfold_without_bound_are_refused_before_they_do(mark: str) -> None:
    tracemalloc.start()
    first, _ = read_lives(unfolding(9, mark))
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()
    assert first.steps == []
    assert first.torn


def test_lines_that_unfold_to_too_much_together_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interned_values, "MOST_IN_ALL", 50)
    reader = Outliner()
    reader.value({"@": 1, "=": ["x"] * 20})
    reader.value({"@": 1})
    with pytest.raises(TooMuch, match="in all"):
        reader.value({"@": 1})


def test_references_within_references_have_a_depth() -> None:
    reader = Outliner()
    reader.value({"@": 1, "=": "x"})
    chain = [{"@": number, "~": [{"@": number - 1}]} for number in range(2, 500)]
    with pytest.raises(TooMuch, match="levels"):
        reader.value(chain)


def test_the_story_tells_what_was_asked_found_and_done(lines: list[str]) -> None:
    told = "\n".join(render_story(read_lines(lines)[1]))
    for words in (
        "the operator says: 'bring me the baguette'",
        "asked memory for 'baguette': not in memory",
        "sim-locator looked for 'baguette': found",
        "GRASP baguette: succeeded",
        "decisions cost nothing",
        "the mission ends, succeeded",
        "evidence: GRASP bread_1",
        "evidence: HANDOVER ana: SUCCEEDED",
    ):
        assert words in told


def test_the_story_has_nothing_to_tell_after_the_last_end(
    lines: list[str], played: MissionRun, settings: MissionSettings
) -> None:
    core_is_idle = step_line(played.moments[-1].now, Cancelled(reason="the node shuts down"), ())
    told = list(render_story(read_lines([*lines, core_is_idle])[1]))
    assert "the mission ends" in told[-1]


def written(played: MissionRun, settings: MissionSettings) -> Iterator[str]:
    writer = LineWriter()
    yield writer.settings(settings)
    yield from (writer.step(m.now, m.event, m.commands) for m in played.moments)


def test_what_was_written_once_is_not_written_again_and_replays_exactly(
    played: MissionRun, lines: list[str], settings: MissionSettings
) -> None:
    short = list(written(played, settings))
    assert sum(map(len, short)) < 0.5 * sum(map(len, lines))
    (whole,), (told,) = read_lives(lines), read_lives(short)
    assert told.steps == whole.steps
    assert replay(told.settings, told.steps) is None


def test_a_scene_graph_that_is_read_again_costs_what_changed() -> None:
    def graph(revision: int) -> SceneGraph:
        nodes = [
            SceneNode(f"n{i}", NodeKind.OBJECT, f"a thing with the number {i}", Pose((i, 0.0, 0.0)))
            for i in range(2000)
        ]
        changed = SceneNode("n7", NodeKind.OBJECT, "a thing", Pose((revision, 0.0, 0.0)))
        return SceneGraph((*nodes[:7], changed, *nodes[8:]), revision=revision)

    writer = LineWriter()
    events = [SceneRead(call_id=f"c{number}", graph=graph(number)) for number in range(6)]
    texts = [writer.settings(MissionSettings()), *(writer.step(1.0, event, ()) for event in events)]
    assert [event.event for event in next(read_lives(texts)).steps] == events
    first, *later = map(len, texts[1:])
    assert max(later) < first / 50


def test_a_table_that_is_full_is_begun_anew(
    played: MissionRun, settings: MissionSettings, monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    monkeypatch.setattr(interning, "MOST", 20)
    text = "\n".join(written(played, settings))
    assert text.count('{"forget": true}') > 3
    (life,) = read_lives(text.splitlines())
    assert life.steps == read_lines(lines)[1]


def test_a_number_that_is_none_leaves_the_recording_readable(settings: MissionSettings) -> None:
    blind = LocatorEntry(id="blind", description="d", latency=math.nan, cameras=("head",))
    palette = ToolPalette(detector_available=True, locators=(blind,))
    core, writer = Core(settings), LineWriter()
    events = (PaletteChanged(palette=palette), PromptReceived(id="p", text="find the mug"))
    steps = [(event, handle_safely(core, event, float(now), print)) for now, event in enumerate(events)]
    for texts in (
        [writer.settings(settings), *(writer.step(float(now), *step) for now, step in enumerate(steps))],
        [settings_line(settings), *(step_line(float(now), *step) for now, step in enumerate(steps))],
    ):
        (life,) = read_lives(texts)
        assert math.isnan(life.steps[0].event.palette.locators[0].latency)
        assert replay(life.settings, life.steps) is None


def cut_short(played: MissionRun, settings: MissionSettings) -> list[str]:
    """A life that ended in the middle of its mission."""
    texts = list(written(played, settings))
    return texts[: len(texts) // 2]


def test_every_life_in_a_file_is_told_and_the_lost_mission_too(
    played: MissionRun, settings: MissionSettings
) -> None:
    texts = [*cut_short(played, settings), *written(played, settings)]
    first, second = read_lives(texts)
    assert len(first.steps) == len(cut_short(played, settings)) - 1
    assert len(second.steps) == len(played.moments)
    told = list(stories(read_lives(texts)))
    assert sum("the operator says: 'bring me the baguette'" in line for line in told) == 2
    lost = next(i for i, line in enumerate(told) if "the reasoner stopped during this mission" in line)
    assert "mission 'bring me the baguette'" in told[lost]
    assert "restarts (start 2" in told[lost + 1]
    assert "the mission ends, succeeded" in told[-1]


@pytest.mark.parametrize("letters", [1, 40, 400])
def test_a_line_that_the_end_of_the_process_tore_loses_no_other(
    played: MissionRun, settings: MissionSettings, letters: int
) -> None:
    whole = cut_short(played, settings)
    torn = [*whole[:-1], whole[-1][: min(letters, len(whole[-1]) - 1)]]
    (life,) = read_lives(torn)
    assert life.torn
    assert len(life.steps) == len(whole) - 2
    assert replay(life.settings, life.steps) is None
    assert "truncated" in list(stories(read_lives(torn)))[-1]
    both = list(read_lives([*torn, *written(played, settings)]))
    assert [each.torn for each in both] == [True, False]
    assert len(both[1].steps) == len(played.moments)


def test_a_recording_of_several_lives_is_not_taken_for_one(lines: list[str]) -> None:
    with pytest.raises(InvalidRecording, match="another life"):
        read_lines([*lines, *lines])


def test_a_number_that_nobody_has_defined_is_refused() -> None:
    with pytest.raises(UnknownMark, match="7"):
        Outliner().value({"@": 7})


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just("ab" * 200),
    lambda inner: (
        st.lists(inner, max_size=80)
        | st.dictionaries(st.sampled_from(["@", "=", "~", "+", "a", "b" * 100]), inner)
    ),
    max_leaves=60,
)


@given(st.lists(plain, max_size=4))
def test_any_values_are_read_as_they_were_written(values: list[object]) -> None:
    writer, reader = Interner(), Outliner()
    for value in (*values, *values):
        assert reader.value(json.loads(writer.text(value))) == value
