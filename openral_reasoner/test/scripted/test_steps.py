"""Steps of plans, driven by replies."""

import pytest

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.behaviors.recall_or_locate import BAD_QUERY
from openral_reasoner.context import Frontier, ObjectSummary, RawCall, ToolResult
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.scripted.steps import (
    BLIND_VISITS,
    Plan,
    PlanContext,
    PlanFailed,
    T,
    describe_location,
    find_object,
    named_place,
    require_success,
    resolved,
    search_object,
)
from openral_reasoner.tools.actions import ExecuteRskillTool
from openral_reasoner.tools.base import Tool
from openral_reasoner.tools.dialogue import AskHumanTool

MISS = ToolResult(status="NOT_IN_MEMORY", text="")
ON_TABLE = ObjectSummary(id="mug_1", label="mug", place="table_1", room="living_room")
ON_COUNTER = ObjectSummary(id="mug_2", label="mug", place="counter_1", room="kitchen")
FOUND = ToolResult(status="FOUND", text="", found=(ON_TABLE, ON_COUNTER))


def run(plan: Plan[T], *replies: ToolResult) -> tuple[T, list[Tool]]:
    """Return the value of a plan that receives these replies, and its calls."""
    calls = [next(plan)]
    try:
        for reply in replies:
            call = plan.send(reply)
            calls.append(call)
    except StopIteration as end:
        value: T = end.value
        return value, calls
    raise AssertionError(f"no end, last {calls[-1]}")


def to_search(*ids: str, status: str = "NOT_IN_MEMORY") -> ToolResult:
    frontier = tuple(Frontier(id=item, label=item, why="") for item in ids)
    return ToolResult(status=status, text="", frontier=frontier)


def test_a_container_is_opened_again_that_the_plan_itself_closed(palette: ToolPalette) -> None:
    open_ones = tuple(place.model_copy(update={"closed": False}) for place in palette.places)
    context = PlanContext(palette.model_copy(update={"places": open_ones}))
    with pytest.raises(StopIteration):
        next(context.open_first("fridge_1"))
    done = ToolResult(status="SUCCEEDED", text="")
    run(context.act(Verb.CLOSE, "fridge_1"), done)
    opened, calls = run(context.open_first("fridge_1"), done)
    assert opened
    assert isinstance(calls[0], ExecuteRskillTool)
    assert (calls[0].rskill_id, calls[0].target) == ("open", "fridge_1")
    with pytest.raises(StopIteration):
        next(context.open_first("fridge_1"))


@pytest.mark.parametrize(
    ("where", "expected"), [("", "mug_1"), ("counter", "mug_2"), ("kitchen", "mug_2"), ("attic", "mug_1")]
)
def test_a_match_at_the_stated_place_is_preferred(where: str, expected: str, palette: ToolPalette) -> None:
    (found, seen), _ = run(find_object(PlanContext(palette), "mug", where), FOUND)
    assert (found.id, seen) == (expected, False)


def test_an_unreadable_name_is_asked_about(palette: ToolPalette) -> None:
    with pytest.raises(PlanFailed, match="Please name it in letters"):
        run(find_object(PlanContext(palette), "12"), ToolResult(status=BAD_QUERY, text=""))


def test_a_search_visits_the_best_place_first_and_ends_with_the_find(palette: ToolPalette) -> None:
    found, calls = run(
        search_object(PlanContext(palette), "mug", to_search("table_1", "shelf_1")),
        to_search("shelf_1", status="NOT_IN_VIEW"),
        FOUND,
    )
    assert found == ON_TABLE
    assert [call.target for call in calls if isinstance(call, ExecuteRskillTool)] == ["table_1", "shelf_1"]


def test_a_search_is_given_up_after_places_in_a_row_without_an_image(palette: ToolPalette) -> None:
    plan = search_object(PlanContext(palette), "mug", to_search("table_1"))
    blind = to_search("table_1", status="TIMEOUT")
    for reply in [None, *[blind] * (BLIND_VISITS - 1)]:
        call = next(plan) if reply is None else plan.send(reply)
        assert isinstance(call, ExecuteRskillTool)
    with pytest.raises(PlanFailed, match="I found no mug, and I can't search for it: TIMEOUT"):
        plan.send(blind)


def test_a_search_without_places_asks_a_human_once_and_fails(palette: ToolPalette) -> None:
    plan = search_object(PlanContext(palette), "mug", MISS)
    assert isinstance(next(plan), AskHumanTool)
    with pytest.raises(PlanFailed, match=r"I couldn't find mug\.$"):
        plan.send(ToolResult(status="UNANSWERED", text=""))


def test_a_suggested_place_is_visited(palette: ToolPalette) -> None:
    done = ToolResult(status="SUCCEEDED", text="")
    answer = ToolResult(status="ANSWERED", text="", operator_words="try the dining table")
    found, calls = run(search_object(PlanContext(palette), "mug", MISS), answer, done, done, FOUND)
    assert found == ON_TABLE
    assert [call.target for call in calls if isinstance(call, ExecuteRskillTool)] == ["table_1", "table_1"]


def test_a_suggested_place_that_is_unknown_is_named(palette: ToolPalette) -> None:
    answer = ToolResult(status="ANSWERED", text="", operator_words="in narnia")
    with pytest.raises(PlanFailed, match="I don't know the place 'in narnia'"):
        run(search_object(PlanContext(palette), "mug", MISS), answer)


def test_a_verb_without_a_skill_fails_by_name() -> None:
    with pytest.raises(PlanFailed, match="No GRASP skill is available"):
        next(PlanContext(ToolPalette()).act(Verb.GRASP, "mug_1"))


def test_a_replayed_call_stands_for_a_skill_that_has_gone() -> None:
    context = PlanContext(ToolPalette())
    context.past = RawCall(tool="execute_rskill")
    call = next(context.act(Verb.GRASP, "mug_1"))
    assert isinstance(call, ExecuteRskillTool)
    assert call.target == "mug_1"


def test_a_failed_step_names_the_step_and_its_status() -> None:
    reply = ToolResult(status="SUCCEEDED", text="")
    assert require_success(reply, "open the fridge") is reply
    with pytest.raises(PlanFailed, match=r"I couldn't open the fridge: BLOCKED\."):
        require_success(ToolResult(status="BLOCKED", text=""), "open the fridge")


def test_an_unresolved_reference_fails_with_its_status() -> None:
    with pytest.raises(PlanFailed, match=r"'the den' is \(AMBIGUOUS\)"):
        run(resolved("the den"), ToolResult(status="AMBIGUOUS", text=""))


def test_numbered_furniture_is_known_by_its_kind_if_it_is_the_only_one() -> None:
    places = tuple(
        PlaceEntry(id=label.replace(" ", "_"), label=label, kind=NodeKind.PLACE)
        for label in ("fridge 3", "shelf 2", "shelf 4")
    )
    palette = ToolPalette(places=places)
    assert named_place(palette, "look into the fridge") == "fridge_3"
    assert named_place(palette, "look at the shelf") is None
    assert named_place(palette, "look at shelf 4") == "shelf_4"


@pytest.mark.parametrize(
    ("words", "node"),
    [
        ("look on the table", "table_1"),
        ("look on the side table please", "table_2"),
        ("Table", "table_1"),
        ("in the attic", None),
        ("under the tablecloth", None),
        ("on the vegetables", None),
        ("look at table_1, please", "table_1"),
        ("", None),
    ],
)
def test_the_longest_name_in_a_text_is_the_place(words: str, node: str | None) -> None:
    places = (
        PlaceEntry(id="table_1", label="table", kind=NodeKind.PLACE),
        PlaceEntry(id="table_2", label="side table", kind=NodeKind.PLACE),
    )
    assert named_place(ToolPalette(places=places), words) == node


@pytest.mark.parametrize(
    ("containers", "place", "room", "words"),
    [
        (("box", "cabinet"), "shelf", "kitchen", "in the box in the cabinet at the shelf in the kitchen"),
        ((), "shelf", "", "at the shelf"),
        (("fridge",), "fridge", "", "in the fridge"),
        ((), "", "", "in front of me"),
    ],
)
def test_a_location_is_described_from_the_inside_out(
    containers: tuple[str, ...], place: str, room: str, words: str
) -> None:
    found = ObjectSummary(id="mug_1", label="mug", containers=containers, place=place, room=room)
    assert describe_location(ToolPalette(), found) == words
