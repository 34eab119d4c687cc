"""Meanings of labels and questions, fetched from the embedding model off the executor."""

import concurrent.futures
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.task import Future

from openral_core.text import Thesaurus
from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import WorkerThread
from openral_world_state.embeddings import Embedder, EmbeddingIndex, EmbeddingWorkerProcess
from openral_world_state.ros.parameters import WorldStateParameters

Vector = NDArray[np.float32]
Lesson = concurrent.futures.Future[Vector]
_MOST_QUESTIONS = 1024
_CONSIDERED = 8


class EmbeddingClient:
    """Learns the labels in use and answers which of them are near in meaning to some words.

    Args:
        scope: Holds the thread.
        node: Results come home to its executor.
        embedder: The model.
        thesaurus: Takes attributes off the words.
        least: Similarity below which nothing is near.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, embedder: Embedder, thesaurus: Thesaurus, least: float
    ) -> None:
        self._node, self._embedder, self._thesaurus, self._least = node, embedder, thesaurus, least
        self._thread = WorkerThread(scope, node, "embedding")
        self._meanings = EmbeddingIndex(thesaurus)
        self._questions: OrderedDict[str, Vector] = OrderedDict()
        self._waiting: set[Future] = set()
        self._lesson: tuple[list[str], Lesson] | None = None
        self.failure = ""
        scope.callback(self._let_go)

    def learn(self, labels: Iterable[str]) -> None:
        """Take over what was learnt since the last call, and fetch the next batch without a vector."""
        if self._lesson is not None and self._lesson[1].done():
            self._take_over(*self._lesson)
            self._lesson = None
        if self._lesson is None and not self.failure:
            phrases = self._meanings.unknown(labels)
            if phrases:
                work = partial(self._embedder.embed, phrases)
                self._lesson = phrases, self._thread.submit(work, lambda _: None)

    async def near(self, words: str) -> list[tuple[str, float]]:
        """Labels near in meaning to readable words; none when the model fails, which `failure` tells."""
        phrase = self._thesaurus.bare(words)
        vector = self._questions.get(phrase)
        if vector is None and not self.failure:
            vector = await self._asked(phrase)
        if vector is None:
            return []
        self._questions[phrase] = vector
        while len(self._questions) > _MOST_QUESTIONS:
            self._questions.popitem(last=False)
        return list(self._meanings.near(words, vector, self._least, _CONSIDERED))

    async def _asked(self, phrase: str) -> Vector | None:
        future = Future(executor=self._node.executor)
        self._waiting.add(future)
        self._thread.submit(partial(self._embedder.embed, [phrase]), partial(self._answered, future))
        vectors = await future
        self._waiting.discard(future)
        return None if vectors is None else vectors[0]

    def _answered(self, future: Future, outcome: Vector | Exception) -> None:
        future.set_result(None if self._failed(outcome) else outcome)

    def _take_over(self, phrases: list[str], lesson: Lesson) -> None:
        error = lesson.exception()
        if error is None:
            self._meanings.put(phrases, lesson.result())
        elif isinstance(error, Exception):
            self._failed(error)

    def _failed(self, outcome: Vector | Exception) -> bool:
        if isinstance(outcome, Exception) and not self.failure:
            self.failure = str(outcome)
            self._node.get_logger().error(f"recall goes on by words alone: {outcome}")
        return isinstance(outcome, Exception)

    def _let_go(self) -> None:
        """Nobody waits for a session that has ended."""
        for future in self._waiting:
            future.set_result(None)


def meanings_of(
    scope: ResourceScope, node: Node, parameters: WorldStateParameters, thesaurus: Thesaurus
) -> EmbeddingClient | None:
    """The embedding model, when one was asked for.

    Raises:
        EmbedderFailed: If it cannot be had.
    """
    if not parameters.embeddings:
        return None
    worker = EmbeddingWorkerProcess(
        parameters.embeddings, parameters.embedding_start, parameters.embedding_deadline
    )
    scope.callback(worker.close)
    return EmbeddingClient(scope, node, worker, thesaurus, parameters.embedding_likeness)
