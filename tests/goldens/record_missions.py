"""Record the missions whose commands must not change.

From the root: ``cd tests && ../tools/env python -m goldens.record_missions``.
Only after a change of behaviour that is meant: what is recorded is what the core does then.
"""

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from goldens.home import DECISION_TIME, LOCATOR, Device, holding, make_home, make_palette
from loopback import KEY, Api, endpoint
from missions_by_endpoint import Robot

from openral_core.detectors import LifecycleState, LocateResult, LocateStatus
from openral_core.missions import MissionState
from openral_reasoner.commands import (
    AskModel,
    CallForeignTool,
    CallLocate,
    CancelSkill,
    Command,
    EndMission,
    PublishHandoff,
    SendSkill,
)
from openral_reasoner.context import RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    CallFailed,
    Event,
    ForeignToolAnswered,
    Located,
    ModelAnswered,
    PaletteChanged,
    PromptReceived,
    SkillEnded,
    SkillProgressed,
)
from openral_reasoner.foreign_tools import ForeignAnswer
from openral_reasoner.palette.entries import ForeignToolEntry
from openral_reasoner.recording import LineWriter
from openral_reasoner.residency import ResidencyRules
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_testing.reasoner.simulator import Answer, Answers, RecordedStep, SimulatedTimeline
from openral_testing.recordings.lives import Life, read_lives

KEPT = Path(__file__).parent / "missions"
SETTINGS = MissionSettings(default_requester="ana")
Recorded = tuple[MissionSettings, Sequence[RecordedStep]]


def mission(
    goal: str, device: Device, answers: Answers, ends: MissionState, settings: MissionSettings, *later: Answer
) -> Recorded:
    """One mission of a symbolic home, which must end as it is meant to."""
    line = SimulatedTimeline(Core(settings), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="prompt-1", text=goal))
    for after, event in later:
        line.put(after, event)
    ended = [end.state for end in line.run()]
    assert ended == [ends], f"{goal}: {ended}"
    return settings, line.moments


def make_device() -> Device:
    home = make_home()
    return Device(home, make_palette(home))


def fetch_from_memory() -> Recorded:
    device = make_device()
    return mission("bring me the mug", device, device.answers, MissionState.SUCCEEDED, SETTINGS)


def search_in_a_container() -> Recorded:
    device = make_device()
    recorded = mission("bring me the milk", device, device.answers, MissionState.SUCCEEDED, SETTINGS)
    assert "open" in skills(recorded)
    return recorded


def cup_of_wine() -> Recorded:
    device = make_device()
    recorded = mission("bring me a cup of wine", device, device.answers, MissionState.SUCCEEDED, SETTINGS)
    assert "pour" in skills(recorded)
    return recorded


def told_state() -> Recorded:
    """Memory notes what the operator says of an object, and nothing moves."""
    device = make_device()
    recorded = mission("the mug is dirty", device, device.answers, MissionState.SUCCEEDED, SETTINGS)
    assert not skills(recorded)
    return recorded


def answered_handoff() -> Recorded:
    """Nothing leads to the table until a human says that it does."""
    device = make_device()
    table = device.home.places["table_1"]
    table.reachable = False
    device.home.objects["bread_1"].broader = ()

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, PublishHandoff):
            table.reachable = True
            words = "it is on the dining table"
            yield 8.0, PromptReceived(id="answer-1", text=words, in_reply_to=command.question.id)
        yield from device.answers(command, now)

    waiting = SETTINGS.model_copy(update={"deadlines": CallDeadlines(handoff=60.0)})
    return mission("bring me the baguette", device, answers, MissionState.SUCCEEDED, waiting)


def stop_in_a_skill() -> Recorded:
    """The stop comes while the robot drives; the skill reports on, and ends when it is cancelled."""
    device, driving = make_device(), list[str]()

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, SendSkill) and not driving:
            driving.append(command.call_id)
            yield 0.5, SkillProgressed(call_id=command.call_id, stage="driving", progress=0.2)
            yield 1.0, PromptReceived(id="prompt-2", text="stop")
        elif isinstance(command, CancelSkill):
            yield 0.7, device.peers.answer(command) or cancelled_too_late(command)
        else:
            yield from device.answers(command, now)

    recorded = mission("bring me the mug", device, answers, MissionState.CANCELLED, SETTINGS)
    assert any(isinstance(moment.event, SkillEnded) for moment in recorded[1])
    return recorded


def cancelled_too_late(command: CancelSkill) -> Event:
    return CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message="it is gone")


def corrected_model() -> Recorded:
    """A model behind an OpenAI endpoint: prose, a place that is not there, two calls at once, then sense."""
    home, api = make_home(), Api("openai")
    answers = [
        api.answer(text="Let me see.", stop="stop"),
        api.answer(("recall_object", json.dumps({"query": "mug", "likely_places": ["dining table"]}))),
        api.answer(act("navigate", "narnia")),
        api.answer(act("grasp", "mug_1"), act("handover", "me")),
        api.answer(("execute_rskill", '{"rskill_id": "grasp", "target": ')),
        api.answer(act("grasp", "mug_1")),
        api.answer(("emit_prompt", '{"text": "I have it."}')),
        api.answer(act("handover", "me")),
        api.answer(("done", '{"success": true, "message": "Here you are."}')),
    ]
    with (
        endpoint() as (url, script),
        patch.dict(os.environ, {"OPENAI_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}),
    ):
        robot = Robot(api, url, script, home, make_palette(home), SETTINGS)
        script.play(*answers)
        robot.line.put(0.1, PromptReceived(id="prompt-1", text="bring me the mug"))
        (end,) = robot.line.run()
    assert end.state is MissionState.SUCCEEDED, end
    return SETTINGS, robot.line.moments


def act(skill: str, target: str) -> tuple[str, str]:
    return "execute_rskill", json.dumps({"rskill_id": skill, "target": target})


def lying_model() -> Recorded:
    """It brings nothing, says that it did, is asked for proof, and says so again; a foreign tool is asked."""
    device = make_device()
    pantry = ForeignToolEntry(id="pantry", package="demo", description="Count.", parameters="{}")
    device.palette = device.palette.model_copy(update={"foreign_tools": (pantry,)})
    first = iter([("pantry", "{}"), ("recall_object", '{"query": "mug"}'), act("navigate", "table_1")])

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            tool, words = next(first, ("done", '{"success": true, "message": "I brought the mug."}'))
            call = RawCall(tool=tool, arguments=words)
            yield (
                DECISION_TIME,
                ModelAnswered(call_id=command.call_id, calls=(call,), tokens=900, model="m-x", cost=0.0),
            )
        elif isinstance(command, CallForeignTool):
            answer = ForeignAnswer(status="ANSWERED", text="2 x milk")
            yield DECISION_TIME, ForeignToolAnswered(call_id=command.call_id, answer=answer)
        else:
            yield from device.answers(command, now)

    return mission("bring me the mug", device, answers, MissionState.CLAIMED, SETTINGS)


def memory_for_a_skill() -> Recorded:
    """The locator sleeps at first; a grasp needs the memory that both detectors have."""
    device = make_device()
    skills = tuple(
        skill.model_copy(update={"gpu_memory_mb": 120.0}) if skill.id == "grasp" else skill
        for skill in device.palette.skills
    )
    asleep = device.palette.model_copy(update={"skills": skills}).with_state(LOCATOR, LifecycleState.INACTIVE)
    device.palette = holding(asleep, LOCATOR, held=False)
    rules = ResidencyRules(budget=160.0, min_residency=0.0, keep_warm=30.0)
    settings = SETTINGS.model_copy(update={"residency": rules})
    recorded = mission("bring me the baguette", device, device.answers, MissionState.SUCCEEDED, settings)
    assert {move.split()[0] for move in device.moves} == {"activate", "deactivate"}
    return recorded


def locator_that_recovers() -> Recorded:
    """It breaks over the first look, is started again, refuses once, and then looks."""
    device, looks = make_device(), list[str]()
    broken = recovering(device, "its worker crashed")

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if not isinstance(command, CallLocate):
            yield from device.answers(command, now)
            return
        looks.append(command.call_id)
        if len(looks) == 1:
            yield 0.4, CallFailed(call_id=command.call_id, condition="BROKEN_OFF", message="it crashed")
            yield 0.5, broken
            yield 4.0, PaletteChanged(palette=device.palette)
        elif len(looks) == 2:
            result = LocateResult(LocateStatus.NO_FRAME, "no picture yet", command.query, "head", LOCATOR)
            yield 0.4, Located(call_id=command.call_id, result=result)
        else:
            yield from device.answers(command, now)

    return mission("find the baguette", device, answers, MissionState.SUCCEEDED, SETTINGS)


def recovering(device: Device, trouble: str) -> PaletteChanged:
    update = {"recovering": True, "trouble": trouble}
    locators = tuple(locator.model_copy(update=update) for locator in device.palette.locators)
    return PaletteChanged(palette=device.palette.model_copy(update={"locators": locators}))


def skills(recorded: Recorded) -> list[str]:
    commands = [command for moment in recorded[1] for command in moment.commands]
    return [command.goal.rskill_id for command in commands if isinstance(command, SendSkill)]


MISSIONS: tuple[Callable[[], Recorded], ...] = (
    fetch_from_memory,
    search_in_a_container,
    cup_of_wine,
    told_state,
    answered_handoff,
    stop_in_a_skill,
    corrected_model,
    lying_model,
    memory_for_a_skill,
    locator_that_recovers,
)
BY_A_MODEL = {"corrected_model", "lying_model"}
"""In the others the scripted planner decides."""


def write(recorded: Recorded, file: Path) -> None:
    """As the reasoner's recorder does."""
    settings, moments = recorded
    writer = LineWriter()
    lines = [writer.settings(settings), *(writer.step(m.now, m.event, m.commands) for m in moments)]
    text = "\n".join(lines) + "\n"
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def read(file: Path) -> Life:
    """Read a file written by `write`."""
    (life,) = read_lives(gzip.decompress(file.read_bytes()).decode().splitlines())
    return life


def main() -> None:
    """Record every mission."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT
    folder.mkdir(parents=True, exist_ok=True)
    for record in MISSIONS:
        recorded = record()
        write(recorded, folder / f"{record.__name__}.jsonl.gz")
        ends = [c for m in recorded[1] for c in m.commands if isinstance(c, EndMission)]
        reported = f"{record.__name__}: {len(recorded[1])} events, {ends[0].state.name}, {skills(recorded)}"
        sys.stdout.write(reported + "\n")


if __name__ == "__main__":
    main()
