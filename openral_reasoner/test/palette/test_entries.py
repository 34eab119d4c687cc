"""Entries of the palette: names, defaults and states."""

import pytest
from pydantic import ValidationError

from openral_core.detectors import LifecycleState
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.palette.entries import LocatorEntry, PlaceEntry, SkillEntry, ToolPalette


def locator(name: str, *, default: bool = False) -> LocatorEntry:
    return LocatorEntry(
        id=name, aliases=(f"{name}-alias",), description="", latency=0.1, cameras=(), is_default=default
    )


def place(node_id: str, label: str, *aliases: str) -> PlaceEntry:
    return PlaceEntry(id=node_id, label=label, kind=NodeKind.PLACE, aliases=aliases)


def skill(name: str, verb: Verb) -> SkillEntry:
    return SkillEntry(id=name, verb=verb, description="", deadline=1.0)


@pytest.mark.parametrize("marked", [0, 1, None])
def test_the_marked_locator_is_the_default_and_else_the_first(marked: int | None) -> None:
    locators = tuple(locator(name, default=index == marked) for index, name in enumerate(("a", "b")))
    palette = ToolPalette(locators=locators)
    assert palette.default_locator is locators[marked or 0]
    assert palette.locator("") is palette.default_locator


def test_no_locator_has_no_default() -> None:
    assert ToolPalette().default_locator is None
    assert ToolPalette().locator("") is None


def test_a_locator_is_named_by_its_id_or_alias() -> None:
    palette = ToolPalette(locators=(locator("a"), locator("b")))
    assert palette.locator("b") is palette.locator("b-alias") is palette.locators[1]
    assert palette.locator("c") is None


def test_the_first_skill_of_a_verb_answers_to_the_verb() -> None:
    palette = ToolPalette(
        skills=(skill("pick", Verb.GRASP), skill("drive", Verb.NAVIGATE), skill("grab", Verb.GRASP))
    )
    assert palette.skill("GRASP") is palette.skill("pick") is palette.skills[0]
    assert [item.id for item in palette.with_verb(Verb.GRASP)] == ["pick", "grab"]
    assert palette.skill("dance") is None


def test_a_label_shared_by_two_places_names_neither() -> None:
    palette = ToolPalette(places=(place("t1", "table"), place("t2", "Table", "desk")))
    assert palette.place("table") is None
    assert palette.place(" DESK ") is palette.places[1]


def test_an_exact_id_wins_over_the_label_of_another_place() -> None:
    palette = ToolPalette(places=(place("t1", "t2"), place("t2", "table")))
    assert palette.place("t2") is palette.places[1]


def test_a_transition_changes_one_detector_and_leaves_the_palette_before_it() -> None:
    before = ToolPalette(locators=(locator("a"), locator("b")))
    after = before.with_state("a", LifecycleState.INACTIVE)
    assert before.awake == frozenset({"a", "b"})
    assert after.awake == frozenset({"b"})
    assert after.locators[0].must_load
    assert not after.locators[1].must_load


def test_an_entry_is_frozen_and_rejects_unknown_fields() -> None:
    entry = place("t1", "table")
    with pytest.raises(ValidationError, match="frozen"):
        entry.label = "desk"
    with pytest.raises(ValidationError, match="colour"):
        PlaceEntry.model_validate({"id": "t1", "label": "table", "kind": "PLACE", "colour": "red"})
