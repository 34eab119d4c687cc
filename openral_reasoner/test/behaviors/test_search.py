"""An object that is seen without a position is not searched elsewhere; the operator reads the reason."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.spatial_memory import ObserveResult, ObserveStatus
from openral_reasoner.behaviors.search import CERTAIN
from openral_reasoner.commands import AskModel, CallLocate, CallObserve, Command, PublishHandoff, SendSkill
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Located, ModelAnswered, Observed, PaletteChanged, PromptReceived
from openral_reasoner.palette.entries import ContinuousDetectorEntry, ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

WHY = "'baguette' at x 300 to 360, y 200 to 260 px has no known depth in it"


def search(
    palette: ToolPalette, settings: MissionSettings, answers: Callable[[Command, float], Iterator[Answer]]
) -> SimulatedTimeline:
    """The goal is the baguette; peers answer as told."""
    line = SimulatedTimeline(Core(settings), answers)
    line.put(0.0, PaletteChanged(palette=palette))
    line.put(0.0, PromptReceived(id="first", text="find the baguette"))
    line.run()
    return line


def run(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, blind_for: float
) -> SimulatedTimeline:
    """The goal is the baguette; no depth comes for so many looks."""
    peers = HomePeers(home)
    looks = iter(range(1_000))

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, CallObserve) and next(looks) < blind_for:
            yield 0.1, Observed(call_id=command.call_id, result=ObserveResult(ObserveStatus.NO_DEPTH, WHY))
        elif (event := peers.answer(command)) is not None:
            yield 5.0 if isinstance(command, SendSkill) else 0.1, event

    return search(palette, settings, answers)


def commands(line: SimulatedTimeline, kind: type) -> list[Command]:
    return [command for moment in line.moments for command in moment.commands if isinstance(command, kind)]


def test_the_search_stays_where_it_was_seen_and_the_operator_reads_what_is_missing(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = run(home, palette, settings, blind_for=float("inf"))
    seen_at = next(
        index
        for index, moment in enumerate(line.moments)
        if any(isinstance(command, CallObserve) for command in moment.commands)
    )
    after = [c for m in line.moments[seen_at:] for c in m.commands if isinstance(c, SendSkill)]
    assert not after, "it drove on although it had seen what it looks for"
    (handoff,) = commands(line, PublishHandoff)
    assert "I see baguette at" in handoff.question.question
    assert f"NO_DEPTH: {WHY}" in handoff.question.question
    assert any("SEEN_NOT_PLACED" in tried for tried in handoff.question.tried)


def test_depth_that_was_missing_for_one_look_costs_one_look(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = run(home, palette, settings, blind_for=1)
    assert not commands(line, PublishHandoff)
    assert len(commands(line, CallLocate)) >= 2


def test_what_no_locator_can_name_is_handed_over_without_driving_anywhere(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers, knows = HomePeers(home), "not in this detector's vocabulary: 'baguette'; it knows mug"

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, CallLocate):
            refused = LocateResult(
                LocateStatus.NOT_IN_VOCABULARY, knows, command.query, command.camera, command.detector
            )
            yield 0.1, Located(call_id=command.call_id, result=refused)
        elif (event := peers.answer(command)) is not None:
            yield 0.1, event

    line = search(palette, settings, answers)
    asked = {command.detector for command in commands(line, CallLocate) if isinstance(command, CallLocate)}
    assert asked == {locator.id for locator in palette.locators}
    assert not commands(line, SendSkill)
    (handoff,) = commands(line, PublishHandoff)
    assert isinstance(handoff, PublishHandoff)
    assert knows in handoff.question.question


@pytest.mark.parametrize(
    ("first", "second", "handed_over"),
    [
        (0.9, LocateStatus.NOT_IN_VIEW, False),
        (0.5, LocateStatus.FOUND, False),
        (0.5, LocateStatus.DETECTOR_ERROR, False),
        (0.5, LocateStatus.NOT_IN_VIEW, True),
    ],
)
def test_what_scores_low_counts_as_found_unless_a_second_look_at_it_misses_it(
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
    first: float,
    second: LocateStatus,
    handed_over: bool,
) -> None:
    peers, seen = HomePeers(home), list[CallLocate]()

    def located(call: CallLocate) -> LocateResult:
        result = peers.locate(call)
        if not result.detections:
            return result
        seen.append(call)
        if len(seen) == 1:
            weak = tuple(replace(each, score=first) for each in result.detections)
            return replace(result, detections=weak)
        detections = result.detections if second is LocateStatus.FOUND else ()
        return replace(result, status=second, detections=detections)

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, CallLocate):
            yield 0.1, Located(call_id=command.call_id, result=located(command))
        elif (event := peers.answer(command)) is not None:
            yield 5.0 if isinstance(command, SendSkill) else 0.1, event

    line = search(palette, settings, answers)
    assert bool(commands(line, PublishHandoff)) is handed_over
    assert (len(seen) > 1) is (first < CERTAIN)


@pytest.mark.parametrize(
    ("streamed", "name", "score", "handed_over"),
    [
        (("baguette", "candle"), "candle", 0.5, True),
        (("baguette", "candle"), "candle", 0.9, False),
        (("candle",), "candle", 0.5, False),
        (("baguette", "candle"), "baguette", 0.5, False),
        ((), "candle", 0.5, False),
    ],
)
def test_what_scores_low_twice_and_is_known_as_something_else_is_not_found(
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
    streamed: tuple[str, ...],
    name: str,
    score: float,
    handed_over: bool,
) -> None:
    peers = HomePeers(home)
    eyes = ContinuousDetectorEntry(id="eyes", description="streams", labels=streamed)
    palette = palette.model_copy(update={"continuous_detectors": (eyes,)})

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, CallLocate):
            result = peers.locate(command)
            weak = tuple(replace(each, score=score) for each in result.detections)
            yield 0.1, Located(call_id=command.call_id, result=replace(result, detections=weak))
        elif isinstance(command, CallObserve):
            result = peers.observe(command)
            matches = tuple(replace(each, label=name) for each in result.matches)
            yield 0.1, Observed(call_id=command.call_id, result=replace(result, matches=matches))
        elif (event := peers.answer(command)) is not None:
            yield 5.0 if isinstance(command, SendSkill) else 0.1, event

    line = search(palette, settings, answers)
    assert commands(line, CallObserve)
    assert bool(commands(line, PublishHandoff)) is handed_over
