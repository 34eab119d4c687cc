"""Plans against answers that come at the wrong moment."""

import pytest

from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.goals import Find, NotUnderstood
from openral_reasoner.scripted.plans import plan_for
from openral_reasoner.scripted.steps import PlanContext, PlanFailed
from openral_reasoner.tools.queries import LocateInViewTool, RecallObjectTool

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
        "According to memory the mug is here: kitchen_counter, kitchen. "
        "I did not verify it: no locator is available."
    )
    assert told(palette, gone) == words


def test_a_look_that_is_refused_while_a_locator_is_there_is_no_look(palette: ToolPalette) -> None:
    with pytest.raises(PlanFailed, match="can't verify that it is there: INVALID_CALL"):
        told(palette, palette)


def test_a_goal_that_is_not_understood_is_asked_back_with_the_most_similar_examples(
    palette: ToolPalette,
) -> None:
    plan = plan_for(PlanContext(palette), NotUnderstood("lay out the table for twelve and a half"))
    with pytest.raises(PlanFailed) as asked:
        next(plan)
    assert "set the table for two" in str(asked.value)
    assert str(asked.value).count(";") == 2
