"""Sentence embeddings: an index of label vectors, the lookup of model files, and the worker process.

The model runs in a child process; it is never loaded in this one.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from openral_core.arrays import Array32
from openral_core.errors import OpenRALError, format_choices
from openral_core.lazy_modules import lazy_module
from openral_core.line_worker import LineWorker
from openral_core.text import Thesaurus

huggingface_hub = lazy_module("huggingface_hub")
hub_errors = lazy_module("huggingface_hub.errors")

MAX_NAME = 200
"""Letters of an invalid model name that are told."""


class EmbedderFailed(OpenRALError):
    """The embedding model returned no vectors."""

    def __init__(self, model: str, problem: str) -> None:
        super().__init__(f"embedding model {model!r} returned no vectors: {problem}")


class Embedder(Protocol):
    """A sentence-embedding model."""

    def embed(self, texts: Sequence[str]) -> Array32:
        """Return unit vectors, shape (N, D).

        Raises:
            EmbedderFailed: If it does not answer in time, or has exited.
        """


MOST_LABELS = 16_384
"""Labels with a vector [1]; others are found by text alone. Bounds the index to 25 MB at 384 dimensions."""
_BATCH = 64  # phrases per request, so that a request stays far below the parameter embedding_deadline


class EmbeddingIndex:
    """Vectors of the labels in use, without colours and sizes, which do not tell the kind of object.

    Args:
        thesaurus: Removes attributes from a label and tells which of them exclude each other.
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._rows: dict[str, int] = {}
        self._labels: defaultdict[str, set[str]] = defaultdict(set)
        self._requested_labels: set[str] = set()
        self._vectors = np.zeros((0, 0), np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def unknown(self, labels: Iterable[str]) -> list[str]:
        """Phrases of labels that have no vector yet, at most one batch."""
        phrases: dict[str, None] = {}
        for label in labels:
            if label in self._requested_labels:
                continue
            is_full = max(len(self._requested_labels), len(self._rows) + len(phrases)) >= MOST_LABELS
            if is_full or len(phrases) >= _BATCH:
                break
            self._requested_labels.add(label)
            phrase = self._thesaurus.bare(label)
            self._labels[phrase].add(label)
            if phrase not in self._rows:
                phrases[phrase] = None
        return list(phrases)

    def put(self, phrases: Sequence[str], vectors: Array32) -> None:
        """Store the vectors (N, D) of phrases."""
        for phrase, vector in zip(phrases, vectors, strict=True):
            row = self._rows.setdefault(phrase, len(self._rows))
            if row >= len(self._vectors):
                grown = np.zeros((max(64, 2 * len(self._vectors)), len(vector)), np.float32)
                if len(self._vectors):
                    grown[: len(self._vectors)] = self._vectors
                self._vectors = grown
            self._vectors[row] = vector

    def near(
        self, query: str, vector: Array32, min_similarity: float, count: int
    ) -> Iterator[tuple[str, float]]:
        """Labels near in meaning with their similarity, the nearest first; another colour is another object.

        Args:
            vector: Unit vector of the query, shape (D,).
            min_similarity: Cosine below which no label is near.
            count: Largest number of phrases considered.
        """
        if not self._rows:
            return
        phrases = list(self._rows)
        similarity = self._vectors[: len(phrases)] @ vector
        close = np.flatnonzero(similarity >= min_similarity)
        for row in close[np.argsort(-similarity[close], kind="stable")][:count]:
            for label in sorted(self._labels[phrases[row]]):
                if not self._thesaurus.excludes(query, label):
                    yield label, float(similarity[row])


_TOKENIZER = "tokenizer.json"
_MODELS = ("onnx/model.onnx", "model.onnx")
_HUB = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<revision>[0-9a-f]{40})")


class NoEmbeddingModel(OpenRALError):
    """The sentence-embedding model was not found."""

    def __init__(self, model_name: str, problem: str) -> None:
        super().__init__(
            f"embedding model {model_name!r} not found ({problem}): set embeddings to a folder with "
            f"{_TOKENIZER} and one of {format_choices(_MODELS)}, to <owner>/<name>@<commit> of the Hugging "
            "Face hub with all 40 digits of the commit, or to an empty string"
        )


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A tokenizer and an ONNX graph with inputs ``input_ids`` and ``attention_mask``."""

    tokenizer: Path
    graph: Path


def find_model(model_name: str) -> ModelFiles:
    """Find a model in a local folder, else on the hub, from which it is downloaded unless cached.

    Raises:
        NoEmbeddingModel: If there is none.
    """
    folder = Path(model_name).expanduser()
    if folder.is_dir():
        graph = next((folder / name for name in _MODELS if (folder / name).is_file()), None)
        if graph is None or not (folder / _TOKENIZER).is_file():
            raise NoEmbeddingModel(
                model_name, f"the folder has {format_choices(sorted(file.name for file in folder.iterdir()))}"
            )
        return ModelFiles(folder / _TOKENIZER, graph)
    hub = _HUB.fullmatch(model_name)
    if hub is None:
        raise NoEmbeddingModel(
            model_name,
            "neither a folder nor a model id with a commit; branches and tags are refused because they move",
        )
    try:
        tokenizer, model = (
            huggingface_hub.hf_hub_download(hub["repository"], name, revision=hub["revision"])
            for name in (_TOKENIZER, _MODELS[0])
        )
    except (hub_errors.HfHubHTTPError, hub_errors.LocalEntryNotFoundError, OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else ""
        raise NoEmbeddingModel(model_name, f"{type(error).__name__}: {first}") from error
    return ModelFiles(Path(tokenizer), Path(model))


_WORKER = "openral_world_state.embeddings.worker"


class EmbeddingWorkerProcess:
    """An `Embedder` in a child process; one caller at a time.

    Args:
        model: Folder or hub id.
        start: Time for loading, a download included [s].
        deadline: Time for an answer [s].

    Raises:
        EmbedderFailed: If the model cannot be loaded, with the worker's error.
    """

    def __init__(self, model: str, start: float = 60.0, deadline: float = 2.0) -> None:
        self._model, self._deadline = model, deadline
        try:
            self._worker = LineWorker(_WORKER, [model], start)
        except OpenRALError as error:
            raise EmbedderFailed(model[:MAX_NAME], str(error)) from error
        self._dimensions = int(self._worker.ready["ready"])

    def embed(self, texts: Sequence[str]) -> Array32:
        """Return unit vectors, shape (N, D); a worker that fails or is late is killed and not restarted.

        Raises:
            EmbedderFailed: If no vectors arrive in time.
        """
        try:
            vectors = base64.b64decode(str(self._worker.request(list(texts), self._deadline)["vectors"]))
            return np.frombuffer(vectors, np.float32).reshape(len(texts), self._dimensions)
        except (OpenRALError, KeyError, ValueError) as error:
            self.close()
            raise EmbedderFailed(self._model, str(error)) from error

    def close(self) -> None:
        """Kill the worker; idempotent."""
        self._worker.close()
