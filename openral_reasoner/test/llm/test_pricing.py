"""Cost is computed from what the endpoint counted and a listed price, or said to be unknown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from openral_core.documents import InvalidDocument
from openral_core.missions import MissionState
from openral_reasoner.budget import cost_words
from openral_reasoner.commands import AskModel, Command, SpanEnded
from openral_reasoner.context import RawCall
from openral_reasoner.core import Core
from openral_reasoner.events import ModelAnswered, PaletteChanged, PromptReceived
from openral_reasoner.llm.base import Decision
from openral_reasoner.llm.pricing import load_prices
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_reasoner_testing.fake_peers import HomePeers
from openral_reasoner_testing.simulator import Answer, SimulatedTimeline
from openral_reasoner_testing.symbolic_home import SymbolicHome

OWN = """prices:
  - {names: [own], read: 2026-01-01, source: the invoice, input: 2.0, output: 8.0, cached: 0.5, stored: 2.5}
"""


def decision(model: str) -> Decision:
    return Decision((), read=1_000_000, written=500_000, cached=400_000, stored=200_000, model=model)


def test_every_kind_of_token_has_its_own_price(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(OWN)
    prices = load_prices(str(tmp_path / "prices.yaml"), "http://localhost")
    assert prices.cost(decision("own")) == pytest.approx(0.4 * 2.0 + 0.4 * 0.5 + 0.2 * 2.5 + 0.5 * 8.0)


@pytest.mark.parametrize("model", ["", "gpt-x", "claude-sonnet-4", "gpt-4.1-nano"])
def test_a_model_that_is_not_listed_by_name_has_no_cost(model: str) -> None:
    assert load_prices("", "").cost(decision(model)) is None


def test_the_listed_prices_are_dated_and_have_a_source() -> None:
    listed = load_prices("", "").prices
    assert listed
    assert all(price.source.startswith("https://") and price.read.year >= 2026 for price in listed)
    names = [name for price in listed for name in price.names]
    assert len(set(names)) == len(names)


def test_an_endpoint_of_ones_own_is_not_billed_by_the_vendors_list() -> None:
    assert load_prices("", "http://localhost:8000").cost(decision("gpt-4.1")) is None


def test_a_file_that_is_no_price_list_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("prices: [{names: [x], input: free}]")
    with pytest.raises(InvalidDocument, match=r"prices\.yaml"):
        load_prices(str(path), "")


@pytest.mark.parametrize(
    ("used", "words"),
    [
        ({}, "nothing"),
        ({"dollars": 0.5}, "0.5000 US$"),
        ({"unpriced_calls": 1.0}, "unknown: 1 decision by a model without a listed price"),
        ({"dollars": 0.5, "unpriced_calls": 2.0}, "at least 0.5000 US$, and 2 decisions"),
    ],
)
def test_unknown_cost_is_said_to_be_unknown(used: dict[str, float], words: str) -> None:
    assert cost_words(used).startswith(words)


def spender(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, cost: float | None
) -> SimulatedTimeline:
    peers = HomePeers(home)
    call = RawCall(tool="emit_prompt", arguments='{"text": "hm"}')

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            answer = ModelAnswered(call_id=command.call_id, calls=(call,), tokens=5, model="m", cost=cost)
            yield 0.1, answer
        elif (event := peers.answer(command)) is not None:
            yield 0.1, event

    line = SimulatedTimeline(Core(settings), answers)
    line.put(0.0, PaletteChanged(palette=palette))
    line.put(0.0, PromptReceived(id="p", text="find the mug"))
    return line


@pytest.mark.parametrize(("cost", "line", "used"), [(0.4, "dollars", 1.2), (None, "unpriced_calls", 3.0)])
def test_money_and_decisions_of_unknown_cost_are_lines_of_the_budget(
    cost: float | None,
    line: str,
    used: float,
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
) -> None:
    budget = settings.budget.model_copy(update={"dollars": 1.0, "unpriced_calls": 2})
    story = spender(home, palette, settings.model_copy(update={"budget": budget, "max_repeats": 9}), cost)
    (end,) = story.run()
    assert end.state is MissionState.HANDED_OVER
    assert line in end.reason
    shown = {item.name: item.used for item in story.core.report(story.now).budget}
    assert shown[line] == pytest.approx(used)
    spans = [c for m in story.moments for c in m.commands if isinstance(c, SpanEnded)]
    reported = [
        span.attributes["openral.cost_usd"] for span in spans if "openral.cost_usd" in span.attributes
    ]
    assert reported == ["unknown" if cost is None else cost] * 3
