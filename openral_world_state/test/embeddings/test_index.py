"""Labels by meaning: colours apart, bounded, and nothing learnt twice."""

import numpy as np
import pytest

from openral_core.text import Thesaurus
from openral_world_state.embeddings import EmbeddingIndex
from openral_world_state.embeddings import index as meanings

THESAURUS = Thesaurus.load()
BAG = np.array([1.0, 0.0], np.float32)
LAMP = np.array([0.0, 1.0], np.float32)
BETWEEN = np.array([0.8, 0.6], np.float32)


def known(*labels: str) -> EmbeddingIndex:
    made = EmbeddingIndex(THESAURUS)
    phrases = made.unknown(labels)
    made.put(phrases, np.array([LAMP if "lamp" in phrase else BAG for phrase in phrases]))
    return made


def test_what_is_near_comes_first_and_what_is_far_not_at_all() -> None:
    made = known("rucksack", "desk lamp")
    assert [label for label, _ in made.near("satchel", BETWEEN, 0.1, 8)] == ["rucksack", "desk lamp"]
    assert dict(made.near("satchel", BETWEEN, 0.7, 8)) == {"rucksack": pytest.approx(0.8)}
    assert not list(made.near("satchel", BAG, 1.1, 8))


def test_another_colour_is_another_thing() -> None:
    made = known("red rucksack", "blue rucksack", "rucksack")
    assert len(made) == 1
    near = [label for label, _ in made.near("blue satchel", BAG, 0.5, 8)]
    assert near == ["blue rucksack", "rucksack"]


def test_only_what_is_new_is_asked_for() -> None:
    made = known("rucksack")
    assert made.unknown(["rucksack", "red rucksack"]) == []
    assert made.unknown(["satchel"]) == ["satchel"]


def test_a_flood_of_labels_ends_at_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanings, "MOST_LABELS", 100)
    made, labels = EmbeddingIndex(THESAURUS), [f"thing{number}" for number in range(1000)]
    for _ in range(50):
        phrases = made.unknown(labels)
        made.put(phrases, np.tile(BAG, (len(phrases), 1)))
    assert len(made) == 100


def test_nothing_is_near_before_anything_was_learnt() -> None:
    assert not list(EmbeddingIndex(THESAURUS).near("satchel", BAG, 0.0, 8))
