"""What turns words into directions of meaning."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError


class EmbedderFailed(OpenRALError):
    """The embedding model did not answer, or not with vectors."""

    def __init__(self, model: str, found: str) -> None:
        super().__init__(f"the embedding model {model!r} gave no vectors: {found}")


class Embedder(Protocol):
    """A sentence-embedding model."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (N, D).

        Raises:
            EmbedderFailed: If it does not answer in time, or died.
        """
