"""Plans against answers that come at the wrong moment."""

import pytest

from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import Bring, Find, GoTo, NotUnderstood
from openral_reasoner.scripted.plans import plan_for
from openral_reasoner.scripted.steps import PlanContext, PlanFailed
from openral_reasoner.tools.actions import ExecuteRskillTool
from openral_reasoner.tools.queries import LocateInViewTool, RecallObjectTool, ResolvePlaceTool

MUG = ObjectSummary(id="mug_1", label="mug", place="kitchen_counter", room="kitchen")
REFUSED = ToolResult(status="INVALID_CALL", text="this detector is not available now")


def told(palette: ToolPalette, then: ToolPalette) -> str:
    """Return the final message if a look at a remembered object is refused; ``then`` is the later palette."""
    outlook = PlanContext(palette)
    plan = plan_for(outlook, Find("mug"))
    call = next(plan)
    for _ in range(8):
        looks = isinstance(call, LocateInViewTool)
        recalls = isinstance(call, RecallObjectTool)
        outlook.now = then if looks else palette
        reply = (
            ToolResult(status="FOUND", text="", found=(MUG,))
            if recalls
            else ToolResult(status="SUCCEEDED", text="")
        )
        try:
            call = plan.send(REFUSED if looks else reply)
        except StopIteration as end:
            return str(end.value)
    raise AssertionError(f"no end, last {call}")


def test_a_locator_that_goes_while_it_is_chosen_leaves_what_memory_has(palette: ToolPalette) -> None:
    gone = palette.model_copy(update={"detector_available": False, "locators": ()})
    words = (
        "In memory I have the mug at the kitchen_counter in the kitchen. "
        "I did not verify it: no locator is available."
    )
    assert told(palette, gone) == words


def test_a_look_that_is_refused_while_a_locator_is_there_is_no_look(palette: ToolPalette) -> None:
    with pytest.raises(PlanFailed, match="can't verify that it is there: INVALID_CALL"):
        told(palette, palette)


def test_a_goal_that_is_not_understood_is_asked_back_with_what_can_be_done_here(palette: ToolPalette) -> None:
    plan = plan_for(PlanContext(palette), NotUnderstood("lay out the table for twelve and a half"))
    with pytest.raises(PlanFailed) as asked:
        next(plan)
    assert asked.value.choices == ("what do you see", "go to the kitchen")
    assert "what do you see; go to the kitchen" in str(asked.value)


PERSON = ObjectSummary(id="person_7", label="person", kind="agent")
UNKNOWN = ToolResult(status="NOT_FOUND", text="no person was seen yet")


def fetched(palette: ToolPalette, goal: Bring | GoTo, people: list[bool]) -> tuple[str, list[str]]:
    """Return the final message and the calls; ``people``: for each time that "me" is asked, is it known."""
    plan = plan_for(PlanContext(palette), goal)
    calls: list[str] = []
    call = next(plan)
    for _ in range(12):
        match call:
            case ResolvePlaceTool():
                known = people.pop(0)
                calls.append(f"me? {known}")
                reply = ToolResult(status="FOUND", text="", found=(PERSON,)) if known else UNKNOWN
            case RecallObjectTool():
                calls.append(f"recall {call.query}")
                found = PERSON if call.query == "person" else MUG
                reply = ToolResult(status="FOUND", text="", found=(found,))
            case ExecuteRskillTool():
                calls.append(f"{call.rskill_id} {call.target}")
                reply = ToolResult(status="SUCCEEDED", text="")
            case _:
                raise AssertionError(call)
        try:
            call = plan.send(reply)
        except StopIteration as end:
            return str(end.value), calls
    raise AssertionError(calls)


@pytest.mark.parametrize(("to", "told"), [("me", "you"), ("requester", "requester")])
def test_a_speaker_who_was_never_seen_is_searched_for_with_the_object_in_the_hand(
    to: str, told: str, palette: ToolPalette
) -> None:
    said, calls = fetched(palette, Bring("mug", to), [False, False, True])
    assert said == f"I brought the mug to {told}."
    assert calls[:2] == ["me? False", "recall mug"]
    assert calls[3:6] == ["me? False", "recall person", "me? True"]
    assert calls[-1].endswith("person_7")


def test_a_speaker_who_is_met_on_the_way_is_not_searched_for(palette: ToolPalette) -> None:
    _, calls = fetched(palette, Bring("mug"), [False, True])
    assert "recall person" not in calls


def test_come_here_searches_for_the_speaker(palette: ToolPalette) -> None:
    said, calls = fetched(palette, GoTo("me"), [False, True])
    assert calls[1] == "recall person"
    assert said == "I am at person_7."


def test_a_person_who_is_not_the_speaker_is_no_receiver(palette: ToolPalette) -> None:
    with pytest.raises(PlanFailed, match="'me' is"):
        fetched(palette, GoTo("me"), [False, False])
