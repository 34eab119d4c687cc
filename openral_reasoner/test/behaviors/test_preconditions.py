"""A target or hand that does not fit is refused before anything moves."""

import json
from collections.abc import Callable

import pytest

from openral_core.spatial_memory import NodeKind
from openral_reasoner.commands import SendSkill
from openral_reasoner.context import Context, RawCall, ToolResult
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

MUG = RawCall(tool="recall_object", arguments='{"query": "mug"}')
UNICORN = RawCall(tool="recall_object", arguments='{"query": "unicorn"}')
FAIL = RawCall(tool="done", arguments='{"success": false, "message": "enough"}')

Run = Callable[..., tuple[MissionRun, list[ToolResult]]]


def act(verb: str, target: str, **more: str) -> RawCall:
    return RawCall(tool="execute_rskill", arguments=json.dumps({"rskill_id": verb, "target": target, **more}))


@pytest.fixture
def run(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Run:
    """Play these calls in turn; the play and the replies."""

    def start(*calls: RawCall, seen: ToolPalette = palette) -> tuple[MissionRun, list[ToolResult]]:
        told: list[ToolResult] = []

        def model(context: Context) -> RawCall:
            told[:] = [turn.reply for turn in context.turns]
            return [*calls, FAIL, FAIL][min(len(context.turns), len(calls) + 1)]

        played = run_mission_in_home("bring me the mug", seen, HomePeers(home).answer, model, settings)
        return played, told

    return start


@pytest.mark.parametrize(
    ("verb", "target", "words", "valid"),
    [
        ("GRASP", "ana", "GRASP needs an object found in this mission; the target is an agent", "mug_1"),
        ("GRASP", "me", "the target is an agent", "mug_1"),
        ("GRASP", "kitchen", "the target is a room", "mug_1"),
        ("GRASP", "table_1", "the target is a place", "mug_1"),
        ("HANDOVER", "fridge_1", "HANDOVER needs a person; the target is a place: use PLACE", "ana"),
        ("HANDOVER", "mug_1", "HANDOVER needs a person; the target is an object: use PLACE", "me"),
        ("OPEN", "ana", "OPEN needs a container", "fridge_1"),
        ("OPEN", "kitchen", "OPEN needs a container", "fridge_1"),
        ("CLOSE", "me", "CLOSE needs a container", "cabinet_1"),
        ("POUR", "table_1", "POUR needs a vessel found in this mission", "mug_1"),
        ("POUR", "living_room", "the target is a room", "mug_1"),
        (
            "PLACE",
            "ana",
            "PLACE needs a surface: a place or an object; the target is an agent: use HANDOVER",
            "table_1",
        ),
        ("PLACE", "kitchen", "the target is a room: name one of its places", "counter_1"),
    ],
)
def test_a_verb_that_does_not_fit_its_target_is_refused_and_nothing_moves(
    run: Run, verb: str, target: str, words: str, valid: str
) -> None:
    played, told = run(MUG, act(verb, target))
    assert told[1].status == "INVALID_CALL"
    assert words in told[1].text
    assert valid in told[1].valid
    assert target not in told[1].valid
    assert played.skills == []


def test_a_room_is_answered_with_the_places_in_it_alone(run: Run) -> None:
    _, told = run(MUG, act("PLACE", "kitchen"))
    assert set(told[1].valid) == {"counter_1", "fridge_1", "cabinet_1"}


def test_a_place_without_a_surface_is_refused_before_the_drive(run: Run, palette: ToolPalette) -> None:
    middle = PlaceEntry(
        id="kitchen_middle", label="middle of the kitchen", kind=NodeKind.PLACE, room="kitchen", on_floor=True
    )
    seen = palette.model_copy(update={"places": (*palette.places, middle)})
    played, told = run(MUG, act("GRASP", "mug_1"), act("PLACE", "kitchen_middle"), seen=seen)
    assert told[2].status == "INVALID_CALL"
    assert "a spot on the floor, without a surface" in told[2].text
    assert set(told[2].valid) == {"counter_1", "fridge_1", "cabinet_1"}
    assert played.skills[-1] == "grasp"


def test_a_resolved_person_is_no_object_to_grasp(run: Run) -> None:
    resolve = RawCall(tool="resolve_place", arguments='{"reference": "Ana"}')
    played, told = run(resolve, act("GRASP", "ana"))
    assert told[1].status == "INVALID_CALL"
    assert played.skills == []


@pytest.mark.parametrize(("verb", "target"), [("PLACE", "table_1"), ("HANDOVER", "me"), ("POUR", "mug_1")])
def test_an_empty_hand_lets_nothing_go_and_drives_nowhere(run: Run, verb: str, target: str) -> None:
    played, told = run(MUG, act(verb, target))
    assert told[1].status == "NOTHING_HELD"
    assert "GRASP it first" in told[1].text
    assert played.skills == []


@pytest.mark.parametrize(
    ("verb", "target"), [("GRASP", "bread_1"), ("OPEN", "fridge_1"), ("CLOSE", "fridge_1")]
)
def test_a_full_hand_takes_and_opens_nothing_and_drives_nowhere(run: Run, verb: str, target: str) -> None:
    bread = RawCall(tool="recall_object", arguments='{"query": "bread"}')
    played, told = run(MUG, bread, act("GRASP", "mug_1"), act(verb, target))
    assert [reply.status for reply in told[2:4]] == ["SUCCEEDED", "HAND_FULL"]
    assert told[3].peer_words == ("the hand holds red mug",)
    assert played.skills[-1] == "grasp"


def test_a_hand_that_was_full_before_the_mission_is_known(run: Run, palette: ToolPalette) -> None:
    full = palette.model_copy(update={"holding": "lemon"})
    played, told = run(MUG, act("GRASP", "mug_1"), seen=full)
    assert (told[1].status, told[1].peer_words) == ("HAND_FULL", ("the hand holds lemon",))
    assert played.skills == []


def test_what_is_held_already_is_driven_to_only_if_the_grasp_fails(run: Run, palette: ToolPalette) -> None:
    played, _ = run(MUG, act("GRASP", "mug_1"), seen=palette.model_copy(update={"holding": "red mug"}))
    assert played.skills == ["grasp", "navigate", "grasp"]


def test_after_letting_go_the_old_word_of_a_full_hand_is_not_believed(run: Run, palette: ToolPalette) -> None:
    calls = (MUG, act("GRASP", "mug_1"), act("PLACE", "counter_1"), act("OPEN", "fridge_1"))
    _, told = run(*calls, seen=palette.model_copy(update={"holding": "red mug"}))
    assert [reply.status for reply in told[1:4]] == ["SUCCEEDED"] * 3


def test_a_closed_place_is_not_driven_to_with_a_full_hand(run: Run) -> None:
    search = act("NAVIGATE", "fridge_1", search_for="unicorn")
    played, told = run(MUG, act("GRASP", "mug_1"), UNICORN, search)
    assert told[3].status == "HAND_FULL"
    assert played.skills[-1] == "grasp"


@pytest.mark.parametrize("verb", ["NAVIGATE", "OPEN", "LOOK_AT"])
def test_a_step_without_search_for_is_no_search(run: Run, verb: str) -> None:
    played, told = run(UNICORN, act(verb, "fridge_1"))
    assert told[1].status == "SUCCEEDED"
    assert told[1].text == f"{verb} succeeded; nothing was searched: set search_for to search a place"
    assert not [c for c in played.commands if getattr(c, "name", "") == "search_candidate"]


def test_a_step_with_search_for_words_that_nobody_recalled_says_that_it_was_no_search(run: Run) -> None:
    _, told = run(UNICORN, act("NAVIGATE", "fridge_1", search_for="dragon"))
    assert "nothing was searched: the target is not on the frontier" in told[1].text


def test_a_place_of_the_frontier_is_searched_when_search_for_says_so(run: Run) -> None:
    played, told = run(UNICORN, act("NAVIGATE", "counter_1", search_for="unicorn"))
    assert told[1].status == "NOT_IN_VIEW"
    assert [c for c in played.commands if getattr(c, "name", "") == "search_candidate"]


def test_any_kind_of_place_may_be_driven_to(run: Run, palette: ToolPalette) -> None:
    kinds = {each.kind: each for each in palette.places}
    assert set(kinds) == {NodeKind.PLACE, NodeKind.ROOM, NodeKind.AGENT}
    for entry in kinds.values():
        assert isinstance(entry, PlaceEntry)
        played, told = run(act("NAVIGATE", entry.id))
        assert told[0].status == "SUCCEEDED", entry
        assert [c for c in played.commands if isinstance(c, SendSkill)]
