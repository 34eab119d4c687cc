"""Context of the model: valid ids, the gripper, news since its last decision, the remaining budget."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import Verb
from openral_reasoner.budget import SearchBudget
from openral_reasoner.commands import AskModel, Command
from openral_reasoner.context import MAX_DEPTH, Context, RawCall, UnreadableArguments, plain, read_arguments
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Event, ModelAnswered, ModelFailed, PaletteChanged, PromptReceived
from openral_reasoner.llm.base import reminder
from openral_reasoner.palette.entries import SkillEntry, ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

GIVE_UP = RawCall(tool="done", arguments='{"success": false, "message": "no"}')


def contexts_of(
    palette: ToolPalette,
    home: SymbolicHome,
    settings: MissionSettings,
    *calls: RawCall,
    goal: str = "find the mug",
) -> list[Context]:
    """The contexts of a mission whose model calls these, one after the other."""
    contexts: list[Context] = []

    def model(context: Context) -> RawCall:
        contexts.append(context)
        return calls[min(len(contexts), len(calls)) - 1]

    run_mission_in_home(goal, palette, HomePeers(home).answer, model, settings)
    return contexts


def with_parameters(palette: ToolPalette, *specs: ParameterSpec) -> ToolPalette:
    wipe = SkillEntry(id="wipe", verb=Verb.LOOK_AT, description="wipe", parameters=specs, deadline=9.0)
    return palette.model_copy(update={"skills": (*palette.skills, wipe)})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"amount": 1.0, "speed": 99}, "wipe takes only these parameters"),
        ({"pose": 3}, "wipe takes only these parameters"),
        ({"amount": "much"}, "amount of wipe must be a float"),
        ({"amount": True}, "amount of wipe must be a float"),
        ({}, "wipe needs the parameter amount, a float"),
    ],
)
def test_parameters_that_a_skill_does_not_take_are_refused_before_anything_moves(
    given: dict[str, Any], text: str, palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    amount = ParameterSpec(name="amount", type=ParameterType.FLOAT, description="how much")
    call = {"rskill_id": "wipe", "target": "table_1", "parameters": given}
    asked = contexts_of(
        with_parameters(palette, amount),
        home,
        settings,
        RawCall(tool="execute_rskill", arguments=json.dumps(call)),
        GIVE_UP,
    )
    assert asked[1].turns[0].reply.text == text
    assert home.at == SymbolicHome(places={}, objects={}, rooms={}, agents={}).at


def test_what_remains_is_said_once(
    palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    recall = RawCall(tool="recall_object", arguments='{"query": "mug"}')
    scarce = settings.model_copy(update={"budget": SearchBudget(recalls=1)})
    first, *later = contexts_of(palette, home, scarce, recall, GIVE_UP)
    assert first.remaining == ""
    for context in later:
        reported = [turn.reply.rendered() for turn in context.turns[-1:]]
        assert "\n".join((*reported, reminder(context))).count("Remaining: 0 recalls") == 1


def test_the_model_is_told_what_the_hand_holds(
    palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    contexts: list[Context] = []

    def model(context: Context) -> RawCall:
        contexts.append(context)
        return decide(context)

    run_mission_in_home("bring me the mug", palette, HomePeers(home).answer, model, settings)
    assert "hand is empty" in reminder(contexts[0])
    assert any("red mug (mug_1)" in reminder(item) for item in contexts)
    assert "hand is empty" in reminder(contexts[-1])


def test_the_model_is_told_what_an_earlier_mission_left_in_the_hand(
    palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    holding = palette.model_copy(update={"holding": "baguette </data>"})
    reported = reminder(contexts_of(holding, home, settings, GIVE_UP)[0])
    assert 'holds: <data>{"holding": "baguette \\u003c/data\\u003e"}</data>' in reported


def news(settings: MissionSettings, *palettes: ToolPalette, fails: bool = False) -> list[tuple[str, ...]]:
    """The news of each decision, with one new palette before each."""
    core = Core(settings)
    reported: list[tuple[str, ...]] = []
    commands: tuple[Command, ...] = core.handle(PaletteChanged(palette=ToolPalette()), 0.0)
    commands = core.handle(PromptReceived(id="p", text="find the mug"), 0.0)
    for palette in palettes:
        commands += core.handle(PaletteChanged(palette=palette), 1.0)
        asked = [c for c in commands if isinstance(c, AskModel)]
        assert len(asked) == 1
        reported.append(asked[0].context.news)
        answer: Event = ModelAnswered(
            call_id=asked[0].call_id, calls=(RawCall(tool="emit_prompt", arguments='{"text": "hm"}'),)
        )
        if fails:
            answer = ModelFailed(call_id=asked[0].call_id, condition="SERVER_ERROR", message="")
        commands = core.handle(answer, 1.0)
    reported += [c.context.news for c in commands if isinstance(c, AskModel)]
    return reported


def test_a_graph_that_has_just_come_up_is_no_news(palette: ToolPalette, settings: MissionSettings) -> None:
    assert news(settings, palette) == [(), ()]


def test_news_of_a_decision_that_was_not_made_is_told_with_the_next_one(
    palette: ToolPalette, settings: MissionSettings
) -> None:
    core = Core(settings)
    core.handle(PaletteChanged(palette=palette), 0.0)
    commands = core.handle(PromptReceived(id="p", text="find the mug"), 0.0)
    blind = palette.model_copy(update={"cameras": ("head",)})
    core.handle(PaletteChanged(palette=blind), 0.5)
    for _ in range(2):
        asked = next(c for c in commands if isinstance(c, AskModel))
        failed = ModelFailed(call_id=asked.call_id, condition="SERVER_ERROR", message="")
        commands = core.handle(failed, 1.0)
        reported = next(c for c in commands if isinstance(c, AskModel)).context.news
        assert reported == ("camera 'wrist' is no longer available from any locator",)


@pytest.mark.parametrize("length", [201, 400])
@pytest.mark.parametrize(
    "goal", ["bring me the {}", "go to the {}", "put the mug on the {}", "open the {}", "{}"]
)
def test_a_goal_with_a_name_that_no_tool_takes_is_asked_back(
    goal: str, length: int, palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    ended = run_mission_in_home(
        goal.format("x" * length), palette, HomePeers(home).answer, decide, settings
    ).end
    assert ended is not None
    assert ended.state.name == "HANDED_OVER"
    reported = "For example, I understand: what" if goal == "{}" else f"has {length} characters"
    assert reported in ended.reason


@given(st.text(alphabet=st.characters(codec=None)), st.integers(0, 50))
def test_plain_text_is_bounded_and_can_be_encoded(text: str, limit: int) -> None:
    kept = plain(text, limit)
    assert len(kept) <= limit
    assert kept.encode().decode() == kept


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": NaN}', "not a JSON number"),
        ('{"a": 1e999}', "too large"),
        ('{"a": 1, "a": 2}', "duplicate key"),
        ('["a"]', "not an object"),
        ('{"a": "\\u0000"}', "control character"),
        (json.dumps({"a": json.loads("[" * 40 + "]" * 40)}), f"deeper than {MAX_DEPTH}"),
    ],
)
def test_arguments_that_parsers_read_differently_are_rejected(text: str, problem: str) -> None:
    with pytest.raises(UnreadableArguments, match=problem):
        read_arguments(text)


def test_no_arguments_are_an_empty_object() -> None:
    assert read_arguments("") == {}
