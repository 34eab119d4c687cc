"""Listing of the ids that calls may name, and its changes."""

from openral_core.spatial_memory import NodeKind
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.tools.listing import MAX_NEWS, MAX_PLACES, in_lines, listing, listing_changes


def with_place(palette: ToolPalette, **changes: object) -> ToolPalette:
    first = palette.place("table_1")
    assert first is not None
    others = [each for each in palette.places if each is not first]
    return palette.model_copy(update={"places": (first.model_copy(update=changes), *others)})


def test_every_id_of_the_palette_has_a_line(palette: ToolPalette) -> None:
    listed = listing(palette)
    assert set(listed["skills"]) == {each.id for each in palette.targeted}
    assert set(listed["places"]) == {each.id for each in palette.places}
    assert set(listed["peers"]) == set(palette.peers)


def test_a_label_stands_behind_the_words_of_the_core_and_is_bounded(palette: ToolPalette) -> None:
    line = listing(with_place(palette, label="stove (person) " * 40, room="kitchen"))["places"]["table_1"]
    assert line.startswith(" (in kitchen): stove (person)")
    assert len(line) < 100


def test_a_label_that_the_id_says_is_left_out(palette: ToolPalette) -> None:
    assert listing(with_place(palette, label="Table", room=""))["places"]["table_1"] == ""
    assert "table_1" in in_lines(listing(with_place(palette, label="Table", room="")))["places"]


def test_a_large_home_is_listed_in_part(palette: ToolPalette) -> None:
    places = tuple(PlaceEntry(id=f"shelf_{n}", label="shelf", kind=NodeKind.PLACE) for n in range(500))
    large = palette.model_copy(update={"places": places})
    assert len(listing(large)["places"]) == MAX_PLACES
    _, news = listing_changes(listing(palette), large)
    assert len(news) == MAX_NEWS + 1


def test_changes_are_news_once(palette: ToolPalette) -> None:
    opened = with_place(palette, states=("open (seen)",))
    reported, news = listing_changes(listing(palette), opened)
    assert len(news) == 1
    assert news[0].startswith("place 'table_1' is now (")
    assert "open (seen)" in news[0]
    assert listing_changes(reported, opened) == (reported, ())
    gone = opened.model_copy(update={"skills": opened.skills[1:], "places": opened.places[1:]})
    _, lines = listing_changes(reported, gone)
    assert lines == (
        f"skill {opened.skills[0].id!r} is no longer available",
        "place 'table_1' is no longer available",
    )


def test_without_memory_nothing_is_said_of_places(palette: ToolPalette) -> None:
    told = listing(palette)
    lost = palette.model_copy(update={"spatial_memory_available": False, "places": ()})
    reported, news = listing_changes(told, lost)
    assert news == ()
    assert listing_changes(reported, palette) == (told, ())


def test_what_ids_and_rooms_say_is_listed_once(palette: ToolPalette) -> None:
    kitchen = PlaceEntry(id="room_0", label="kitchen", kind=NodeKind.ROOM)
    counter = PlaceEntry(id="counter_0", label="kitchen counter", kind=NodeKind.PLACE, room="room_0")
    shelf = counter.model_copy(update={"id": "shelf_0", "label": "spice shelf"})
    lines = in_lines(listing(palette.model_copy(update={"places": (kitchen, counter, shelf)})))
    assert lines["places"] == (
        "room_0 (room): kitchen",
        "counter_0 (in room_0)",
        "shelf_0 (in room_0): spice shelf",
    )
    assert all(" (" in line or ": " in line for line in lines.get("skills", ()))
