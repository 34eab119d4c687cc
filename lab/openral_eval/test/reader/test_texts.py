"""Parsers of the texts that a model gets."""

import pytest

from openral_eval.reader.goals import ReadGoal, read_goal
from openral_eval.reader.texts import ParsedReply, Texts
from openral_reasoner.context import Frontier, ObjectSummary, ToolResult
from openral_testing.model_server.answers import ModelRequest, UserText, Vendor


def test_a_reply_is_read_as_it_is_rendered() -> None:
    found = ObjectSummary(id="mug_1", label="</data> mug")
    place = Frontier(id="shelf_1", label="shelf", why="usual")
    text = "gone. Search with execute_rskill NAVIGATE on a frontier id with search_for, best first"
    rendered = ToolResult(status="MOVED", text=text, found=(found,), frontier=(place,)).rendered()
    reply = ParsedReply.of(rendered)
    assert (reply.status, reply.objects[0]["id"], reply.frontier[0]["id"]) == ("MOVED", "mug_1", "shelf_1")
    assert reply.search_call == ("execute_rskill", "NAVIGATE", "search_for")


def test_a_reply_without_places_offers_no_search() -> None:
    text = "Search with execute_rskill NAVIGATE on a frontier id with search_for"
    assert ParsedReply.of(ToolResult(status="MOVED", text=text).rendered()).search_call is None


def test_the_goal_is_read_with_its_escapes() -> None:
    part = UserText('Goal, in the operator\'s words: "bring \\"it\\"". The requester is the agent "ana".')
    assert Texts(ModelRequest(Vendor.OPENAI, "m", "", (), (part,))).goal == 'bring "it"'


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("bring me the red mug", ReadGoal("fetch", "red mug")),
        ("Put the apple on the bookshelf.", ReadGoal("fetch", "apple", "bookshelf")),
        ("give the book to Ben", ReadGoal("fetch", "book", "ben")),
        ("where is the book?", ReadGoal("find", "book")),
        ("pour the wine into the glass", ReadGoal("pour", "wine", "glass")),
        ("tidy up", ReadGoal("tidy")),
        ("what do you see in the kitchen?", ReadGoal("say what is there", "", "kitchen")),
        ("fly to the moon", ReadGoal("")),
    ],
)
def test_plain_goals_are_read(text: str, goal: ReadGoal) -> None:
    assert read_goal(text) == goal
