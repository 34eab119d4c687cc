"""Optional sentence embeddings: they suggest labels near in meaning, and never turn one into a match."""

from openral_world_state.embeddings.index import (
    Embedder,
    EmbedderFailed,
    EmbeddingIndex,
    EmbeddingWorkerProcess,
    ModelFiles,
    NoEmbeddingModel,
    find_model,
)

__all__ = [
    "Embedder",
    "EmbedderFailed",
    "EmbeddingIndex",
    "EmbeddingWorkerProcess",
    "ModelFiles",
    "NoEmbeddingModel",
    "find_model",
]
