"""Embeddings of labels and queries, computed by the embedding worker off the executor."""

import concurrent.futures
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial

from rclpy.node import Node
from rclpy.task import Future

from openral_core.arrays import Array32
from openral_core.text import Thesaurus
from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import WorkerThread
from openral_world_state.embeddings.index import Embedder, EmbeddingIndex, EmbeddingWorkerProcess
from openral_world_state.ros.parameters import WorldStateParameters

Batch = concurrent.futures.Future[Array32]
MAX_CACHED_QUERIES = 1024
"""Queries with a cached vector [1]; the least recently used are dropped."""
MAX_PHRASES = 8
"""Phrases near in meaning considered per query [1]; a recall shows three near misses."""


class EmbeddingClient:
    """Index of the labels in use by embedding, and its queries; a failed model is not used again.

    Args:
        scope: Owns the thread.
        node: Its executor receives the results.
        embedder: The model.
        thesaurus: Removes attributes from a text.
        min_similarity: Cosine below which no label is near.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        embedder: Embedder,
        thesaurus: Thesaurus,
        min_similarity: float,
    ) -> None:
        self._node, self._embedder, self._thesaurus = node, embedder, thesaurus
        self._min_similarity = min_similarity
        self._thread = WorkerThread(scope, "embedding")
        self._index = EmbeddingIndex(thesaurus)
        self._queries: OrderedDict[str, Array32] = OrderedDict()
        self._requests: set[Future] = set()
        self._pending_batch: tuple[list[str], Batch] | None = None
        self.failure = ""
        scope.callback(self._cancel_requests)

    def update(self, labels: Iterable[str]) -> None:
        """Store the last batch of vectors if it is done, and request the next one of labels without."""
        if self._pending_batch is not None and self._pending_batch[1].done():
            self._store(*self._pending_batch)
            self._pending_batch = None
        if self._pending_batch is None and not self.failure:
            phrases = self._index.unknown(labels)
            if phrases:
                work = partial(self._embedder.embed, phrases)
                self._pending_batch = phrases, self._thread.submit(work, lambda _: None)

    async def near(self, text: str) -> list[tuple[str, float]]:
        """Return labels near in meaning to a readable text; none after the model failed (see ``failure``)."""
        phrase = self._thesaurus.bare(text)
        vector = self._queries.get(phrase)
        if vector is None and not self.failure:
            vector = await self._embed(phrase)
        if vector is None:
            return []
        self._queries[phrase] = vector
        while len(self._queries) > MAX_CACHED_QUERIES:
            self._queries.popitem(last=False)
        return list(self._index.near(text, vector, self._min_similarity, MAX_PHRASES))

    async def _embed(self, phrase: str) -> Array32 | None:
        future = Future(executor=self._node.executor)
        self._requests.add(future)

        def finish(outcome: Array32 | Exception) -> None:
            future.set_result(None if self._is_failure(outcome) else outcome)

        self._thread.submit(partial(self._embedder.embed, [phrase]), finish)
        vectors = await future
        self._requests.discard(future)
        return None if vectors is None else vectors[0]

    def _store(self, phrases: list[str], batch: Batch) -> None:
        error = batch.exception()
        if error is None:
            self._index.put(phrases, batch.result())
        elif isinstance(error, Exception):
            self._is_failure(error)

    def _is_failure(self, outcome: Array32 | Exception) -> bool:
        """Tell if an outcome is an error; log the first one."""
        if isinstance(outcome, Exception) and not self.failure:
            self.failure = str(outcome)
            self._node.get_logger().error(f"{outcome}; recall continues without embeddings")
        return isinstance(outcome, Exception)

    def _cancel_requests(self) -> None:
        for future in self._requests:
            future.set_result(None)


def make_embedding_client(
    scope: ResourceScope, node: Node, parameters: WorldStateParameters, thesaurus: Thesaurus
) -> EmbeddingClient | None:
    """Start the configured embedding model; None if none is configured.

    Raises:
        EmbedderFailed: If it cannot be loaded.
    """
    if not parameters.embeddings:
        return None
    worker = EmbeddingWorkerProcess(
        parameters.embeddings, parameters.embedding_start, parameters.embedding_deadline
    )
    scope.callback(worker.close)
    return EmbeddingClient(scope, node, worker, thesaurus, parameters.embedding_likeness)
