"""Models that pick a line: any chooser ends within the rules, and answers are read by the list."""

from collections.abc import Callable
from random import Random

import pytest

from openral_core.missions import MissionState
from openral_reasoner.budget import SearchBudget
from openral_reasoner.commands import EndMission, PublishHandoff, SendSkill
from openral_reasoner.compact.answers import (
    answered,
    grammar,
    matching,
    response_format,
)
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Choice, Context, Decision, RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import home_timeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

CHOICES = tuple(
    Choice(line=line, call=RawCall(tool="recall_object", arguments=f'{{"query": "{line}"}}'))
    for line in ("recall red mug", "recall mug", "done")
)


def any_of(seed: int) -> Callable[[Context], Decision]:
    """A model that picks any line."""
    rng = Random(seed)
    return lambda context: Decision(calls=(rng.choice(context.choices).call,), cost=0.0)


def mission(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, seed: int
) -> tuple[list[EndMission], list[SendSkill], list[PublishHandoff]]:
    compact = settings.model_copy(update={"prompt": "compact", "budget": SearchBudget(model_calls=40)})
    line = home_timeline(Core(compact), HomePeers(home).answer, any_of(seed), lambda: palette, goal)
    ends = line.run()
    sent = line.commands
    return (
        ends,
        [each for each in sent if isinstance(each, SendSkill)],
        [each for each in sent if isinstance(each, PublishHandoff)],
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_model_that_picks_any_line_ends_typed_and_claims_no_false_success(
    seed: int, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    ends, _, _ = mission("bring me the baguette", home, palette, settings, seed)
    assert [end.state in MissionState for end in ends] == [True]
    if ends[0].state is MissionState.SUCCEEDED:
        assert ("bread_1", "ana") in home.delivered


@pytest.mark.parametrize(
    ("goal", "served"),
    [
        ("find the milk", set()),
        ("where is the mug?", set()),
        ("open the fridge", set()),
        ("put the mug on the counter", {"grasp", "place"}),
        ("pour the wine into the glass", {"grasp", "place", "pour"}),
        ("bring me the mug", {"grasp", "place", "handover"}),
    ],
)
def test_a_model_that_picks_any_line_does_only_what_the_goal_may_need(
    goal: str, served: set[str], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    limited = {"grasp", "place", "pour", "handover", "switch", "press"}
    skills = [each.goal for seed in range(4) for each in mission(goal, home, palette, settings, seed)[1]]
    assert {each.rskill_id for each in skills} & limited <= served


@pytest.mark.parametrize("seed", range(8))
def test_a_model_that_picks_any_line_gives_nothing_to_another_person_or_of_another_part(
    seed: int, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    goal = "put the mug on the counter and bring me the baguette"
    mission(goal, home, palette, settings, seed)
    assert set(home.delivered) <= {("bread_1", "ana")}


@pytest.mark.parametrize("seed", range(8))
def test_a_model_that_picks_any_line_puts_what_is_named_nowhere_else(
    seed: int, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    before = home.objects["mug_1"].place
    _, skills, _ = mission("put the mug on the shelf", home, palette, settings, seed)
    assert home.objects["mug_1"].place in (before, "shelf_1", "")
    assert home.holding in ("", "mug_1")
    assert all(each.goal.rskill_id != "handover" for each in skills)


@pytest.mark.parametrize("seed", range(6))
def test_a_model_that_picks_any_line_opens_nothing_that_was_forbidden(
    seed: int, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    goal = "bring me the mug but do not open the fridge"
    _, skills, _ = mission(goal, home, palette, settings, seed)
    assert not [each for each in skills if each.goal.rskill_id == "open" and "fridge" in str(each.goal)]


@pytest.mark.parametrize("seed", range(6))
def test_a_model_that_picks_any_line_moves_nothing_without_approval(
    seed: int, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    strict = settings.model_copy(update={"require_approval": True})
    ends, skills, _ = mission("bring me the mug", home, palette, strict, seed)
    assert not skills
    assert len(ends) == 1


def test_a_goal_that_was_not_read_moves_nothing(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    _, skills, _ = mission("fly to the moon", home, palette, settings, 3)
    assert not skills


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("recall mug", "recall mug"),
        ("> Recall  Mug.", "recall mug"),
        ('{"step": "recall red mug"}', "recall red mug"),
        ('```json\n{"step": "done"}\n```', "done"),
        ("Let me think.\nrecall mug", "recall mug"),
    ],
)
def test_a_text_is_read_as_the_line_that_it_is(text: str, line: str) -> None:
    chosen = matching(text, CHOICES)
    assert chosen is not None
    assert chosen.line == line
    assert answered(Decision(calls=(), text=text), CHOICES).calls == (chosen.call,)


@pytest.mark.parametrize(
    "text", ["", "grasp knife_1", "recall", '{"step": 3}', "{" * 2000, "done and recall mug"]
)
def test_a_text_outside_the_list_is_no_call(text: str) -> None:
    assert answered(Decision(calls=(), text=text), CHOICES).calls == ()


def test_a_model_outside_the_list_is_told_so_and_hands_over(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    prompts: list[str] = []

    def model(context: Context) -> Decision:
        prompts.append(compact_prompt(context).state)
        return answered(Decision(calls=(), text="make me a sandwich", cost=0.0), context.choices)

    compact = settings.model_copy(update={"prompt": "compact"})
    line = home_timeline(Core(compact), HomePeers(home).answer, model, lambda: palette, "bring me the mug")
    (end,) = line.run()
    assert end.state is MissionState.HANDED_OVER
    assert "none of the listed steps" in end.reason
    assert "make me a sandwich" in end.reason
    assert "> (no listed step)\ninvalid call" in prompts[-1]


def test_grammar_and_schema_hold_exactly_the_lines() -> None:
    lines = [each.line for each in CHOICES]
    assert all(f'"{line}"' in grammar(lines) for line in lines)
    schema = response_format(lines)["json_schema"]
    assert isinstance(schema, dict)
    assert schema["schema"]["properties"]["step"]["enum"] == lines
