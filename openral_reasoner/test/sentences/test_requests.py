"""Goals in the words of many speakers, and the laws that every text obeys."""

import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openral_reasoner.request.goals import (
    Bring,
    Conditional,
    Find,
    MoveDoor,
    NotUnderstood,
    Sequence,
    Switch,
    WaitFor,
)
from openral_reasoner.sentences import read_sentence
from openral_testing.reasoner.goal_meanings import Paraphrase, Reading, describe, load_paraphrases

HERE = Path(__file__).parent
SPOKEN = load_paraphrases(HERE / "spoken_goals.yaml")
THIRD = load_paraphrases(HERE / "third_spoken_goals.yaml")
FOURTH = load_paraphrases(HERE / "fourth_spoken_goals.yaml")
FIFTH = load_paraphrases(HERE / "fifth_spoken_goals.yaml")
SIXTH = load_paraphrases(HERE / "sixth_spoken_goals.yaml")
MORE = load_paraphrases(HERE / "more_spoken_goals.yaml")


@pytest.mark.parametrize(
    ("spoken", "right"),
    [(SPOKEN, 0.88), (MORE, 0.94), (THIRD, 0.96), (FOURTH, 0.97), (FIFTH, 0.85), (SIXTH, 0.62)],
    ids=["spoken", "more", "third", "fourth", "fifth", "sixth"],
)
def test_spoken_goals_are_understood_or_asked_back(spoken: tuple[Paraphrase, ...], right: float) -> None:
    readings = {paraphrase.text: paraphrase.read() for paraphrase in spoken}
    wrong = {text: said for text, (reading, said) in readings.items() if reading is Reading.WRONG}
    assert wrong == {}
    counts = Counter(reading for reading, _ in readings.values())
    assert counts[Reading.RIGHT] >= right * len(readings)


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("bring me a mug and a spoon", "bring(mug); bring(spoon)"),
        ("get the milk from the fridge and close it", "bring(milk, from=fridge); close(fridge)"),
        ("put the mug on the table and the book on the shelf", "bring(mug, to=table); bring(book, to=shelf)"),
        ("Tom gets the hat and Ines the scarf", "bring(hat, to=Tom); bring(scarf, to=Ines)"),
        ("find the mug and bring it to me", "bring(mug)"),
        ("I won the trophy, put it on the shelf", "bring(trophy, to=shelf)"),
        ("My library book is due back, can you look for it?", "find(library book)"),
        ("the kids wrecked the playroom, tidy it", "tidy(playroom)"),
        ("don't bring the red cup, bring the blue one", "bring(blue cup); not(take, red cup)"),
        ("there are spoons in the drawer, bring me two", "bring(2 spoon, from=drawer)"),
        ("four of us are eating, set the table", "set_table(4)"),
        ("open the wardrobe, get the towel out", "open(wardrobe); bring(towel, from=wardrobe)"),
        ("drop the towel on the bed. Actually no, the bathroom shelf.", "bring(towel, to=bathroom shelf)"),
        ("Put bread in the cupbord", "bring(bread, to=cupboard)"),
        ("take the cup and put it in the sink", "bring(cup, to=sink)"),
        ("the jam is on the counter, put it in the fridge", "bring(jam, to=fridge, from=counter)"),
        ("Anna is cold. Bring her a blanket.", "bring(blanket, to=Anna)"),
        ("Bring me a mug. Oh, and a spoon.", "bring(mug); bring(spoon)"),
        ("open the drawer and look inside", "look_inside(drawer)"),
        ("before you close the window, bring me the mug", "bring(mug); close(window)"),
        ("put the cup in the sink, but first bring me the phone", "bring(phone); bring(cup, to=sink)"),
        ("I need my medicine, it's in the bathroom", "bring(medicine, from=bathroom)"),
        ("the medicine should be in the bathroom, please bring it", "bring(medicine, from=bathroom)"),
        ("the medicine should be in the bathroom, put it there", "bring(medicine, to=bathroom)"),
        ("bring me the towel, the green one", "bring(green towel)"),
        ("pour me a cup of wine and bring it to Anna", "bring_filled(cup, wine, to=Anna)"),
        ("the living room is a mess, sort it out", "tidy(living room)"),
        ("Mrs Henderson needs her pills, could you bring them to her?", "bring(pills, to=Mrs Henderson)"),
        ("clear the table and lay it for six", "clear(table); set_table(6)"),
        ("bring the plate here, but shut the oven first", "close(oven); bring(plate)"),
        ("take the plate to the kitchen, then come back to me", "bring(plate, to=kitchen); go(me)"),
        ("if there is no coffee, bring me tea", "if(find(coffee), nothing(), bring(tea))"),
    ],
)
def test_clauses_refer_to_what_was_said_before(words: str, meaning: str) -> None:
    assert describe(read_sentence(words)) == meaning


def test_an_order_is_kept_only_where_it_is_stated() -> None:
    unordered = read_sentence("bring me the mug and open the fridge")
    ordered = read_sentence("first bring me the mug, then open the fridge")
    parts = (Bring("mug"), MoveDoor("fridge", open=True))
    assert (unordered, ordered) == (Sequence(parts), Sequence(parts, ordered=True))


def test_a_part_that_is_not_understood_spoils_the_whole() -> None:
    assert isinstance(read_sentence("bring me the mug and wash the dog"), NotUnderstood)


@pytest.mark.parametrize(
    "words",
    [
        "do not bring me the mug",
        "bring me the mug unless it is dirty",
        "bring me the mug in ten minutes",
        "put it there",
        "give her the keys",
        "the mug is on the table",
        "shut up",
        "grbl the snorf",
        "Snorf inside the oven, please",
        "bring me the dishwasher",
        "Anna gets the cup, I get the glass and Tom gets nothing",
        "provided nobody is sitting on it, clear the sofa",
        "dim the lamp to thirty percent",
        "lay the tea towel on the hot stove",
        "two books: one for me, one for Anna",
        "take the mug and, what's it called, the torch, and give them both to Tom",
        "turn the TV off if it's on",
        "water please, a tall glass",
        "don't open the window and bring me the mug",
        "don't bring me the mug, bring me the mug",
        "Tom will bring me the mug",
        "I opened the window and closed the door",
        "wash the mug that is on the table, then bring it to me",
        "bring me the mug before the glass",
        "open the window and jump out",
        "bring everyone a glass of water",
        "go to the kitchen and dance",
        "put the knife in the toaster",
        "could I have spoon fork and bowl",
        "apple orange and bowl go on the table",
    ],
)
def test_what_is_not_surely_a_request_is_asked_back(words: str) -> None:
    assert isinstance(read_sentence(words), NotUnderstood)


def test_the_comma_ends_the_condition() -> None:
    then = Bring("spoon", "me", "sugar bowl")
    assert read_sentence("if there's a spoon in the sugar bowl, bring it to me") == Conditional(
        Find("spoon", "sugar bowl"), then
    )


def test_a_list_of_compounds_is_not_run_together() -> None:
    goal = read_sentence("bring me a bread knife, an orange juice and coffee mug")
    assert goal == Sequence((Bring("bread knife"), Bring("orange juice"), Bring("coffee mug")))


def test_a_broom_is_no_room() -> None:
    assert read_sentence("put the broom in the pantry") == Bring("broom", "pantry")


def test_appliances_and_waiting_are_understood() -> None:
    assert read_sentence("turn the lamp on") == Switch("lamp", on=True)
    waiting = WaitFor("Anna", Bring("keys", "Anna"))
    assert read_sentence("when Anna comes, give her the keys") == waiting


def test_an_object_of_a_condition_is_taken_from_where_it_was_found() -> None:
    expected = Conditional(Find("milk", "fridge"), Bring("milk", "me", "fridge"), Bring("water"))
    assert read_sentence("if there's milk in the fridge bring it to me, otherwise water") == expected


WORDS = sorted({word for paraphrase in (*SPOKEN, *MORE) for word in paraphrase.text.split()})


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(max_size=300))
@example("<:0")
@example("\N{LATIN CAPITAL LETTER A WITH GRAVE}:0")
@settings(deadline=None)
def test_every_text_is_read(text: str) -> None:
    assert describe(read_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "bring me the mug, " * 33,
        "if there is " * 20,
        "put it on the " * 15,
        "a and b, " * 30,
        "x" * 10_000,
        "," * 10_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    read_sentence(text)
    assert time.process_time() - began < 30.0  # only exponential backtracking takes this long


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("bring me the milk and then the mug", True),
        ("bring me the milk, then the mug", True),
        ("bring me the milk and the mug", False),
    ],
)
def test_an_order_is_stated_within_a_list_too(text: str, ordered: bool) -> None:
    request = read_sentence(text)
    assert isinstance(request, Sequence)
    assert request.ordered is ordered
