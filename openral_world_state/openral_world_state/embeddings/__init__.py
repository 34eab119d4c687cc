"""Words near in meaning: an optional sentence-embedding model suggests where to look, never what is there."""

from openral_world_state.embeddings.index import (
    Embedder,
    EmbedderFailed,
    EmbeddingIndex,
    ModelFiles,
    NoEmbeddingModel,
    find_model,
)
from openral_world_state.embeddings.worker_process import EmbeddingWorkerProcess

__all__ = [
    "Embedder",
    "EmbedderFailed",
    "EmbeddingIndex",
    "EmbeddingWorkerProcess",
    "ModelFiles",
    "NoEmbeddingModel",
    "find_model",
]
