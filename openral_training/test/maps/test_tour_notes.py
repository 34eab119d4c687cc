"""Notes of a tour become annotations, and outlast a tour that breaks off."""

from math import pi
from pathlib import Path

import pytest

from openral_core.home_map import HomeMap, Pose2
from openral_training.maps.tour_notes import TourNotes, UnknownNote

POSE = Pose2(x=1.00004, y=2.0, yaw=pi / 2.0)


@pytest.fixture
def notes(tmp_path: Path) -> TourNotes:
    return TourNotes.open(tmp_path / "home.notes.yaml")


def test_what_faces_the_robot_is_at_arms_length_and_looks_back(notes: TourNotes) -> None:
    assert notes.add("furniture  kitchen   counter", POSE) == "furniture 'kitchen counter' at (1.0, 2.8)"
    piece = notes.annotations.furniture[0]
    assert (piece.at, piece.yaw) == ((1.0, 2.8), pytest.approx(-pi / 2.0, abs=1e-3))


def test_a_name_is_given_once_and_furniture_may_be_there_twice(notes: TourNotes) -> None:
    elsewhere = Pose2(x=4.0, y=2.0)
    for line in ("place charger", "furniture table", "room kitchen", "person Ana"):
        notes.add(line, POSE)
        notes.add(line, elsewhere)
    found = notes.annotations
    assert [place.at for place in found.places] == [(4.0, 2.0)]
    assert [room.at for room in found.rooms] == [(4.0, 2.0)]
    assert [person.at for person in found.people] == [(4.8, 2.0)]
    assert len(found.furniture) == 2


def test_a_tour_that_broke_off_goes_on(notes: TourNotes) -> None:
    notes.add("place Ladestation für Räder", POSE)
    again = TourNotes.open(notes.path)
    again.add("room kitchen", POSE)
    assert TourNotes.open(notes.path).annotations == again.annotations
    assert again.annotations.places == notes.annotations.places


@pytest.mark.parametrize(
    ("line", "problem"),
    [("fridge", "unknown kind 'fridge'"), ("place", "name is missing"), ("Room x", "unknown kind 'Room'")],
)
def test_a_line_that_is_no_note_says_what_would_be(notes: TourNotes, line: str, problem: str) -> None:
    with pytest.raises(UnknownNote, match=problem) as error:
        notes.add(line, POSE)
    assert "'furniture NAME'" in str(error.value)
    assert not notes.path.exists()


def test_the_notes_that_fit_a_map_are_applied_and_the_others_told(notes: TourNotes) -> None:
    square = ((0.0, 0.0), (5.0, 0.0), (5.0, 5.0), (0.0, 5.0))
    home = HomeMap.model_validate(
        {"name": "flat", "rooms": [{"id": "room_1", "name": "room 1", "polygon": square}]}
    )
    for line in ("room kitchen", "place charger", "person Ana"):
        notes.add(line, POSE)
    notes.add("place garden", Pose2(x=9.0, y=9.0))
    notes.add("furniture piano", POSE)
    made, problems = notes.applied_to(home)
    assert (made.rooms[0].name, made.places[0].name, made.agents[0].name) == ("kitchen", "charger", "Ana")
    assert made.places[0].pose == Pose2(x=1.0, y=2.0, yaw=round(pi / 2.0, 3))
    assert len(problems) == 2, problems
    assert "garden" in problems[0] or "garden" in problems[1]
