"""Verb frames: every phrase of a clause has a role, in any order."""

import pytest

from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    Find,
    Goal,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    NotUnderstood,
    PickUp,
    Pour,
)
from openral_reasoner.sentences import read_sentence


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("carry the mug from the table to Anna", Bring("mug", "Anna", "table")),
        ("carry the mug to Anna from the table", Bring("mug", "Anna", "table")),
        ("carry over to Anna the mug", Bring("mug", "Anna")),
        ("hand me over the mug", Bring("mug")),
        ("bring Anna the mug that's on the table", Bring("mug", "Anna", "table")),
        ("put down the mug on the table", Bring("mug", "table")),
        ("put the mug back up on the shelf in the kitchen", Bring("mug", "shelf in the kitchen")),
        ("bring me a mug filled with tea", BringFilled("mug", "tea")),
        ("top the glass up with juice", Pour("juice", "glass")),
        ("pop some milk in the mug", Pour("milk", "mug")),
        ("take the ball into your gripper", PickUp("ball")),
        ("scoop up the ball from the floor", PickUp("ball", "floor")),
        ("have a quick peek inside the oven", LookInside("oven")),
        ("cast an eye over the stove", LookAt("stove")),
        ("rummage in the drawer for the keys", Find("keys", "drawer")),
        ("push the fridge door shut", MoveDoor("fridge", open=False)),
        ("roll on over to the door", GoTo("door")),
    ],
)
def test_phrases_get_roles_in_any_order(words: str, goal: Goal) -> None:
    assert read_sentence(words) == goal


@pytest.mark.parametrize(
    "words",
    [
        "bring up the subject",
        "take out the trash",
        "throw the mug at the wall",
        "drop the vase on the floor",
        "take a picture of the cat",
        "bring the mug through Anna with the table",
    ],
)
def test_a_phrase_without_a_role_spoils_the_frame(words: str) -> None:
    assert isinstance(read_sentence(words), NotUnderstood)
