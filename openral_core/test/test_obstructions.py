"""Obstructions as evidence and as sentences."""

import pytest

from openral_core.obstructions import ObstacleKind, Obstruction

SHUT = Obstruction(ObstacleKind.SHUT_DOOR, (1.0, 2.0), "door", rooms=("kitchen", "room 2"))
TABLE = Obstruction(ObstacleKind.FURNITURE, (1.0, 2.0), "t", "dining table", ("kitchen",), moved=True)


@pytest.mark.parametrize(
    "obstruction",
    [SHUT, TABLE, *(Obstruction(kind, (0.5, -1.0)) for kind in ObstacleKind)],
    ids=lambda each: each.kind.value,
)
def test_evidence_round_trips(obstruction: Obstruction) -> None:
    assert Obstruction.of(obstruction.evidence()) == obstruction


@pytest.mark.parametrize(
    ("obstruction", "sentence"),
    [
        (SHUT, "the door from the kitchen to room 2 is shut"),
        (TABLE, "the dining table was moved and now stands in the way in the kitchen"),
        (Obstruction(ObstacleKind.PERSON, (0.0, 0.0), "p", "person"), "a person stands in the way"),
        (Obstruction(ObstacleKind.PERSON, (0.0, 0.0), "p", "Anna"), "Anna stands in the way"),
    ],
)
def test_sentences_name_obstacle_and_place(obstruction: Obstruction, sentence: str) -> None:
    assert obstruction.sentence == sentence


@pytest.mark.parametrize(
    "evidence", [{}, {"obstacle": "dragon", "obstacle_x": 0.0, "obstacle_y": 0.0}, {"obstacle": "person"}]
)
def test_evidence_of_no_known_obstacle_is_none(evidence: dict[str, str | float]) -> None:
    assert Obstruction.of(evidence) is None
