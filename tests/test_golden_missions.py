"""Recorded missions: the same events lead to the same commands, texts aside, and the same scripted decisions.

A change that is meant is recorded again: ``cd tests && ../tools/env python -m goldens.record_missions``.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest

pytest.importorskip("openai")
from goldens.record_missions import BY_A_MODEL, KEPT, MISSIONS, read

from openral_reasoner.commands import COMMAND, AskModel, Command, EndMission, SendSkill
from openral_reasoner.context import Context, RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import ModelAnswered
from openral_reasoner.recording import RecordedEvent
from openral_reasoner.request.plain import VERSION
from openral_reasoner.scripted.planner import decide
from openral_testing.recordings import replay as texts
from openral_testing.recordings.lives import Life
from openral_testing.recordings.replay import OtherStatement, replay, require_replayable, stories

FILES = {file.name.partition(".")[0]: file for file in sorted(KEPT.glob("*.jsonl.gz"))}
WORDED = ("question", "message", "text", "prompt")
"""Arguments of a call that the planner words for a human."""


@pytest.fixture(params=FILES)
def life(request: pytest.FixtureRequest) -> Life:
    return read(FILES[request.param])


def test_every_mission_is_recorded_and_no_other() -> None:
    assert set(FILES) == {record.__name__ for record in MISSIONS}


def test_the_same_events_lead_to_the_same_commands(life: Life) -> None:
    difference = replay(life.settings, life.steps, ignore_text=True)
    assert difference is None, difference.words()


def test_a_recording_from_before_requests_were_stated_is_explained_and_not_replayed() -> None:
    life = read(KEPT.parent / "told_state_before_statements.jsonl.gz")
    assert any("the mug is dirty" in line for line in stories([life]))
    with pytest.raises(OtherStatement, match=f"in version 0, this program in version {VERSION}"):
        require_replayable(life)


def decisions(life: Life) -> Iterator[tuple[Context, ModelAnswered]]:
    """Commands of the current core and their recorded answers."""
    core, asked = Core(life.settings), dict[str, Context]()
    for step in life.steps:
        if isinstance(step.event, ModelAnswered):
            yield asked[step.event.call_id], step.event
        given = core.handle(step.event, step.now)
        asked |= {command.call_id: command.context for command in given if isinstance(command, AskModel)}


def unworded(call: RawCall) -> tuple[str, dict[str, Any]]:
    arguments = json.loads(call.arguments)
    return call.tool, {name: bool(item) if name in WORDED else item for name, item in arguments.items()}


@pytest.mark.parametrize("name", sorted(set(FILES) - BY_A_MODEL))
def test_the_scripted_planner_decides_the_same(name: str) -> None:
    made = [(decide(context), answer.calls[0]) for context, answer in decisions(read(FILES[name]))]
    assert made
    assert [unworded(now) for now, _ in made] == [unworded(recorded) for _, recorded in made]


def commands() -> Iterator[Command]:
    for file in FILES.values():
        for step in read(file).steps:
            yield from step.commands


def test_every_kind_of_command_is_among_them() -> None:
    kinds = get_args(get_args(Command)[0])
    assert {type(command) for command in commands()} == set(kinds)


@pytest.mark.parametrize("pattern", texts.TEXTS)
def test_no_text_that_is_left_aside_is_without_an_example(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "TEXTS", (pattern,))
    own = (COMMAND.dump_python(c, mode="json") for c in commands() if c.kind == pattern.partition(".")[0])
    assert any(texts.WORDS in json.dumps(texts.without_texts(item["kind"], item)) for item in own)


def changed(life: Life, kind: type[Command], **update: Any) -> Life:
    """The recording as if the first command of a kind had been another."""
    steps, done = [], False
    for step in life.steps:
        mine = []
        for command in step.commands:
            hit = not done and isinstance(command, kind)
            mine.append(command.model_copy(update=update) if hit else command)
            done = done or hit
        steps.append(RecordedEvent(step.now, step.event, tuple(mine)))
    assert done
    return replace(life, steps=steps)


def test_a_recording_in_other_words_replays_and_one_with_another_end_does_not(life: Life) -> None:
    other = changed(life, EndMission, reason="in other words")
    assert replay(other.settings, other.steps) is not None
    assert replay(other.settings, other.steps, ignore_text=True) is None
    other = changed(life, EndMission, mission_id="another")
    difference = replay(other.settings, other.steps, ignore_text=True)
    assert difference is not None
    assert '"mission_id":"another"' in difference.recorded


def test_a_skill_at_another_place_is_a_difference() -> None:
    life = read(KEPT / "fetch_from_memory.jsonl.gz")
    sent = next(c for step in life.steps for c in step.commands if isinstance(c, SendSkill))
    goal = replace(sent.goal, params={**sent.goal.params, "goal": None})
    other = changed(life, SendSkill, goal=goal)
    assert replay(other.settings, other.steps, ignore_text=True) is not None
    other = changed(life, SendSkill, goal=replace(sent.goal, prompt="in other words"))
    assert replay(other.settings, other.steps, ignore_text=True) is None
