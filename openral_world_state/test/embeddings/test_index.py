"""The embedding model in its own process: found, loaded, asked, and lost."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from openral_core.text import Thesaurus
from openral_world_state.embeddings import index as meanings
from openral_world_state.embeddings.index import (
    EmbedderFailed,
    EmbeddingIndex,
    EmbeddingWorkerProcess,
    NoEmbeddingModel,
    find_model,
)


def test_vectors_have_length_one_and_like_words_point_alike(toy_model: Path) -> None:
    worker = EmbeddingWorkerProcess(str(toy_model))
    try:
        bag, satchel, lamp = worker.embed(["rucksack", "satchel", "lamp"])
        longer = worker.embed(["satchel satchel satchel", "zorb"])
    finally:
        worker.close()
    assert np.allclose(np.linalg.norm([bag, satchel, lamp], axis=1), 1.0, atol=1e-6)
    assert bag @ satchel > 0.9
    assert bag @ lamp == pytest.approx(0.0)
    assert np.allclose(longer[0], satchel, atol=1e-6)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("nowhere", "neither a folder nor a model id with a commit"),
        ("owner/name", "neither a folder nor a model id with a commit"),
        ("owner/name@main", "branches and tags are refused"),
        ("owner/name@0123456", "branches and tags are refused"),
    ],
)
def test_a_model_that_cannot_be_meant_is_refused_naming_the_ways_out(asked: str, words: str) -> None:
    with pytest.raises(NoEmbeddingModel, match=words) as caught:
        find_model(asked)
    assert "<owner>/<name>@<commit>" in str(caught.value)


def test_a_folder_without_a_model_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(b"1")
    with pytest.raises(NoEmbeddingModel, match=r"the folder has 'weights\.bin'"):
        find_model(str(tmp_path))


def test_a_worker_that_cannot_load_says_so_in_its_own_words(tmp_path: Path, toy_model: Path) -> None:
    (toy_model / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(EmbedderFailed, match=r"(?i)protobuf"):
        EmbeddingWorkerProcess(str(toy_model))


def test_a_killed_worker_costs_an_answer_not_the_caller(toy_model: Path) -> None:
    worker = EmbeddingWorkerProcess(str(toy_model))
    os.kill(worker._worker.process.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(EmbedderFailed):
            worker.embed(["lamp"])
    worker.close()


def test_a_hung_worker_is_ended_at_its_deadline(toy_model: Path) -> None:
    worker = EmbeddingWorkerProcess(str(toy_model), deadline=0.1)
    os.kill(worker._worker.process.pid, signal.SIGSTOP)
    with pytest.raises(EmbedderFailed, match="did not answer in time"):
        worker.embed(["lamp"])
    assert worker._worker.process.returncode is not None


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


@pytest.mark.parametrize("name", ["z" * 1_000_000, "a\0b"])
def test_a_name_that_no_process_can_be_given_is_refused(name: str) -> None:
    with pytest.raises(EmbedderFailed, match="its worker did not start"):
        EmbeddingWorkerProcess(name)
