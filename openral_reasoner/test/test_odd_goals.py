"""Goals that no template reads: a model states them, acts, and is judged by what the home is like afterwards.

`odd_goals.json` was written apart from the code.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import SendSkill
from openral_reasoner.context import Context, RawCall
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import is_understood
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, call, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

GOALS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "odd_goals.json").read_text())
OBJECTS = {
    "baguette": "bread_1",
    "mug": "mug_1",
    "red mug": "mug_1",
    "wine bottle": "wine_1",
    "wine glass": "glass_1",
    "milk": "milk_1",
}
PLACES = {
    "kitchen counter": "counter_1",
    "counter": "counter_1",
    "dining table": "table_1",
    "table": "table_1",
    "fridge": "fridge_1",
    "cabinet": "cabinet_1",
    "shelf": "shelf_1",
}
Model = Callable[[Context], RawCall]


def prepared(home: SymbolicHome, goal: Mapping[str, Any]) -> SymbolicHome:
    """Put what is named where the sentence says it is, and open what is to be closed."""
    for step in goal["steps"]:
        if source := step.get("source"):
            home.objects[OBJECTS[step["object"]]].place = PLACES[source]
        if step["do"] == "close" and len(goal["steps"]) == 1:
            home.places[PLACES[step["object"]]].is_open = True
    return home


def is_done(home: SymbolicHome, played: MissionRun, step: Mapping[str, Any]) -> bool:
    """Return True if the simulated home shows that a step was done."""
    what = step.get("object", "")
    to = step.get("to", "me" if step["do"] == "bring" else "")
    sent = [(c.goal.rskill_id, c.goal.prompt) for c in played.commands if isinstance(c, SendSkill)]
    if step["do"] == "bring" and to in PLACES:
        return home.objects[OBJECTS[what]].place == PLACES[to]
    if step["do"] == "bring":
        return (OBJECTS[what], "ana") in home.delivered
    if step["do"] == "pick_up":
        return home.holding == OBJECTS[what]
    if step["do"] in ("open", "close"):
        return home.places[PLACES[what]].is_open is (step["do"] == "open")
    if step["do"] in ("look_at", "look_inside"):
        return any(skill == "look-at" for skill, _ in sent)
    return any(skill == "navigate" for skill, _ in sent) or what in OBJECTS


def obeys(played: MissionRun, goal: Mapping[str, Any]) -> bool:
    """Return True if no skill was sent to what is forbidden."""
    verbs = {
        "open": ("open",),
        "take": ("grasp",),
        "touch": ("grasp", "open", "place"),
        "enter": ("navigate",),
    }
    sent = [c.goal for c in played.commands if isinstance(c, SendSkill)]
    return not any(
        skill.rskill_id in verbs.get(ban["act"], ()) and ban["what"] in str(skill.params.get("label", ""))
        for skill in sent
        for ban in goal["forbidden"]
    )


def played(
    goal: Mapping[str, Any], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, act: Model
) -> MissionRun:
    """A mission of a model that states the goal first, if it is asked to, and then acts."""
    statement = call("state_request", steps=goal["steps"], forbidden=goal["forbidden"])

    def model(context: Context) -> RawCall:
        asked = any(tool.name == "state_request" for tool in context.tools)
        if asked and not context.turns:
            return statement
        own = tuple(turn for turn in context.turns if turn.tool != "state_request")
        return act(context.model_copy(update={"turns": own}))

    return run_mission_in_home(goal["say"], palette, HomePeers(home).answer, model, settings)


@pytest.mark.parametrize("goal", GOALS, ids=range(len(GOALS)))
def test_no_lie_about_them_is_a_success(
    goal: Mapping[str, Any], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    done = call("done", success=True, message="It is done.")
    lied = played(goal, prepared(home, goal), palette, settings, lambda context: done)
    assert lied.end is not None
    assert lied.end.state is not MissionState.SUCCEEDED


def test_what_a_model_truly_did_is_a_success(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    counts, missed = Counter[str](), list[str]()
    for goal in GOALS:
        own = prepared(deepcopy(home), goal)
        run = played(goal, own, palette, settings, decide)
        assert obeys(run, goal)
        if all(is_done(own, run, step) for step in goal["steps"]):
            assert run.end is not None
            succeeded = run.end.state is MissionState.SUCCEEDED
            counts["succeeded" if succeeded else "not acknowledged"] += 1
            missed += [] if succeeded else [f"{goal['say']}: {run.end}"]
        else:
            counts["not done"] += 1
            missed.append(f"not done: {goal['say']}: {run.end}")
    assert counts["succeeded"] >= 0.95 * (counts["succeeded"] + counts["not acknowledged"]), missed
    assert counts["succeeded"] >= 30, missed


def test_no_template_reads_them() -> None:
    assert sum(is_understood(read_sentence(goal["say"])) for goal in GOALS) <= 2
