"""Recall with sentence embeddings; random vectors stand in for a model's, as many as are ever kept."""

import random
import time
from collections.abc import Iterator

import numpy as np

from openral_core.spatial_memory import RecallQuery
from openral_core.text import Thesaurus
from openral_world_state.embeddings.index import MOST_LABELS, EmbeddingIndex
from openral_world_state.world.world_model import WorldModel

Row = dict[str, str | float]
DIMENSIONS, LEAST, CONSIDERED = 384, 0.5, 8  # Of a vector; similarity [1]; labels [count].


def meaning_rows(size: int, world: WorldModel, rng: random.Random) -> Iterator[Row]:
    """A miss that names what is near in meaning, the model's own time left out."""
    numbers, thesaurus = np.random.default_rng(rng.randrange(1 << 30)), Thesaurus.load()
    meanings = _filled(EmbeddingIndex(thesaurus), [*world.memory.labels.labels], numbers)
    times = []
    for number in range(200):
        words = f"gadget{number}"
        vector = meanings._vectors[int(numbers.integers(len(meanings)))] + _unit(numbers, 1)[0] * 0.3
        vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        began = time.thread_time()
        world.recall(RecallQuery(words), 1e6, list(meanings.near(words, vector, LEAST, CONSIDERED)))
        times.append(1e3 * (time.thread_time() - began))
    yield {
        "bench": "memory",
        "objects": size,
        "case": f"recall miss, near in meaning among {len(meanings)} phrases",
        "median [ms]": round(float(np.median(times)), 3),
        "p99 [ms]": round(float(np.percentile(times, 99)), 3),
    }


def _filled(meanings: EmbeddingIndex, labels: list[str], numbers: np.random.Generator) -> EmbeddingIndex:
    """Labels in use, then others up to the most that are kept."""
    vocabulary = [*labels, *(f"thing{number}" for number in range(MOST_LABELS))]
    while phrases := meanings.unknown(vocabulary):
        meanings.put(phrases, _unit(numbers, len(phrases)))
    return meanings


def _unit(numbers: np.random.Generator, count: int) -> np.ndarray:
    vectors = numbers.normal(size=(count, DIMENSIONS)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
