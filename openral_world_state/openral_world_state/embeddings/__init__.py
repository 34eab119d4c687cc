"""Words near in meaning: an optional sentence-embedding model suggests where to look, never what is there."""

from openral_world_state.embeddings.embedder import Embedder, EmbedderFailed
from openral_world_state.embeddings.meanings import Meanings
from openral_world_state.embeddings.model_files import ModelFiles, NoEmbeddingModel, find_model
from openral_world_state.embeddings.worker_process import WorkerProcess

__all__ = [
    "Embedder",
    "EmbedderFailed",
    "Meanings",
    "ModelFiles",
    "NoEmbeddingModel",
    "WorkerProcess",
    "find_model",
]
