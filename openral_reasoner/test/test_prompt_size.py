"""Ceilings of the prompt, by the estimate that `openral_testing` has calibrated, which is 3 to 4 % high."""

from statistics import median

import pytest

from openral_reasoner.context import Context, RawCall
from openral_reasoner.llm.base import opening
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import ScriptedModel, decide
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.registry import schemas
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.prompt_tokens import PromptMeter, estimated_tokens, request_text
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

TOOLS, EVERY_TOOL = 1_500, 1_750
"""Most tokens of the tools of an understood goal, and of all of them at once."""
FIRST = 2_050
"""Most tokens of the first decision by the estimate: 1,980 of the vocabulary."""
FRESH = 120
"""Most new tokens of each further decision, in the median."""


def measured(goal: str, palette: ToolPalette, home: SymbolicHome, settings: MissionSettings) -> PromptMeter:
    meter = PromptMeter(ScriptedModel())
    run_mission_in_home(goal, palette, HomePeers(home).answer, lambda c: meter(c).calls[0], settings)
    return meter


@pytest.mark.parametrize("goal", ["bring me the mug", "bring me the milk", "find the unicorn"])
def test_the_ceilings_hold(
    goal: str, palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    meter = measured(goal, palette, home, settings)
    assert meter.tools < TOOLS
    assert meter.first < FIRST
    assert len(meter.fresh) > 2
    assert median(meter.fresh) <= FRESH


def test_all_tools_together_are_bounded(palette: ToolPalette) -> None:
    texts = "".join(f"{each.name}{each.description}{each.parameters}" for each in schemas(palette))
    assert estimated_tokens(texts) < EVERY_TOOL


def test_every_request_of_a_mission_begins_the_same(
    palette: ToolPalette, home: SymbolicHome, settings: MissionSettings
) -> None:
    texts, beginnings = list[str](), set[str]()

    def model(context: Context) -> RawCall:
        text, first = request_text(context), opening(context)
        texts.append(text)
        beginnings.add(text[: text.index(first) + len(first)])
        return decide(context)

    run_mission_in_home("bring me the milk", palette, HomePeers(home).answer, model, settings)
    assert len(texts) > 3
    assert len(beginnings) == 1
