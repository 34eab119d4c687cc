"""Kinds of objects, and how often they are at a kind of place."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import openral_core
import openral_reasoner
from openral_core.text.thesaurus import shipped_entries
from openral_reasoner.likely_places.prior import Site, shipped_prior

PRIOR = shipped_prior()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("milk", "perishable food"),
        ("a carton of milk", "perishable food"),
        ("my red mug", "drinkware"),
        ("some teaspoons", "cutlery"),
        ("wooden spoon", "utensil"),
        ("dirty plate", "dirty dishes"),
        ("clean plate", "tableware"),
        ("blue shirt", "clothing"),
        ("wet shirt", "wet clothes"),
        ("bottle of shampoo", "bathing"),
        ("dish soap", "dish soap"),
        ("pajamas", "clothing"),
        ("sneakers", "footwear"),
        ("jigsaw", "board game"),
        ("cardboard box", "box"),
        ("can of tuna", "preserved food"),
        ("can of beer", "beer"),
        ("cereal box", "dry food"),
    ],
)
def test_objects_have_a_kind(text: str, kind: str) -> None:
    placed = PRIOR.place(text)
    assert placed is not None
    assert placed.name == kind


@pytest.mark.parametrize("text", ["gizmo", "", "!?", "zyxwv 9", "B:¼"])
def test_an_unknown_object_has_no_kind(text: str) -> None:
    assert PRIOR.place(text) is None


@given(st.text(max_size=60))
def test_any_text_is_placed_or_not(text: str) -> None:
    placed = PRIOR.place(text)
    assert placed is None or 0.0 < placed.counts <= placed.kind.counts


def test_less_is_known_of_a_narrower_name() -> None:
    broad, narrow = PRIOR.place("bread"), PRIOR.place("baguette")
    assert broad is not None
    assert narrow is not None
    assert narrow.name == broad.name
    assert narrow.counts < broad.counts


@pytest.mark.parametrize(
    ("kind", "likelier", "other"),
    [
        ("perishable food", Site(("fridge",), "kitchen"), Site(("cabinet",), "kitchen")),
        ("perishable food", Site(("refrigerator",), "Kitchen 2"), Site(("sofa",), "lounge")),
        ("toiletry", Site(("cabinet",), "bathroom"), Site(("cabinet",), "kitchen")),
        ("cutlery", Site(("top drawer",), "kitchen"), Site(("drawer",), "bedroom")),
        ("book", Site(("shelf",), "office"), Site(("shelf",), "bathroom")),
        ("tableware", Site(("table",), "kitchen"), Site(("table",), "bedroom")),
    ],
)
def test_a_usual_place_is_likelier(kind: str, likelier: Site, other: Site) -> None:
    assert PRIOR.frequency(kind, likelier) > PRIOR.frequency(kind, other)


def test_a_place_names_its_room_where_the_map_does_not() -> None:
    assert PRIOR.frequency("toiletry", Site(("bathroom shelf",))) > PRIOR.frequency(
        "toiletry", Site(("kitchen shelf",))
    )


def test_a_fridge_holds_the_same_wherever_it_stands() -> None:
    prior = shipped_prior()
    kitchen, pantry = (
        prior.frequency("fruit", Site(("refrigerator",), room)) for room in ("kitchen", "pantry")
    )
    assert kitchen == pantry > prior.frequency("fruit", Site(("shelf",), "pantry"))


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Kitchen", "kitchen"),
        ("master bedroom", "bedroom"),
        ("bedroom_2", "bedroom"),
        ("children's room", "bedroom"),
        ("home office", "office"),
        ("engine room", ""),
        ("", ""),
    ],
)
def test_labels_name_kinds_of_rooms(label: str, kind: str) -> None:
    assert PRIOR.room_kind(label) == kind


def test_no_name_is_covered_twice() -> None:
    named = [(name, *kind.when) for kind in PRIOR.kinds.values() for name in kind.covers]
    assert len(named) == len(set(named))


def test_every_place_is_known_to_the_thesaurus() -> None:
    known = shipped_entries().things
    places = {place for kind in PRIOR.kinds.values() for place in kind.places}
    assert places - known.keys() <= {"floor"}


def test_every_listed_noun_has_a_kind_of_the_prior() -> None:
    assert PRIOR.noun_kinds <= PRIOR.kinds.keys()


JUDGES = re.compile(
    "procthor|ithor|textworld|\\btwc\\b|housekeep[^e]|virtualhome|behavior-1k|bddl", re.IGNORECASE
)


@pytest.mark.parametrize("package", [openral_core, openral_reasoner])
def test_the_planner_knows_no_table_that_it_is_judged_by(package: object) -> None:
    folder = Path(str(package.__file__)).parent  # type: ignore[attr-defined]
    files = [path for path in folder.rglob("*") if path.suffix in {".py", ".yaml", ".json"}]
    assert len(files) > 10
    assert not [path for path in files if JUDGES.search(path.read_text(encoding="utf-8"))]


def test_the_data_name_their_sources_and_licences() -> None:
    folder = Path(openral_reasoner.__file__).parent / "likely_places"
    prior, nouns = ((folder / name).read_text(encoding="utf-8") for name in ("prior.yaml", "nouns.yaml"))
    assert "Source: common knowledge" in prior
    assert "licence of this repository" in prior
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in nouns
