"""The embedding model behind a pipe: this process never loads it."""

import base64
import json
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from openral_world_state.embeddings.index import EmbedderFailed

_WORKER = "openral_world_state.embeddings.worker"


class EmbeddingWorkerProcess:
    """An `Embedder` in a process of its own; one caller at a time.

    Args:
        model: Folder or hub id.
        start: How long loading may take, a download included [s].
        deadline: How long an answer may take [s].

    Raises:
        EmbedderFailed: If the model cannot be loaded, in the worker's own words.
    """

    def __init__(self, model: str, start: float = 60.0, deadline: float = 2.0) -> None:
        self._model, self._deadline = model, deadline
        self._process = subprocess.Popen(
            [sys.executable, "-m", _WORKER, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._heard = b""
        try:
            self._dimensions = int(str(self._answer(start, "ready")))
        except EmbedderFailed:
            self.close()
            raise

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (N, D); a worker that is late or dead is ended, and stays so.

        Raises:
            EmbedderFailed: If no vectors came in time.
        """
        try:
            self._ask(texts)
            told = base64.b64decode(str(self._answer(self._deadline, "vectors")))
            return np.frombuffer(told, np.float32).reshape(len(texts), self._dimensions)
        except (EmbedderFailed, OSError, ValueError) as error:
            self.close()
            raise EmbedderFailed(self._model, str(error)) from error

    def close(self) -> None:
        """End the worker; calling again is no error."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _ask(self, texts: Sequence[str]) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(list(texts)).encode() + b"\n")

    def _answer(self, seconds: float, key: str) -> object:
        said = json.loads(self._line(time.monotonic() + seconds))
        if key not in said:
            raise EmbedderFailed(self._model, str(said.get("error", "it said something else")))
        return said[key]

    def _line(self, end: float) -> bytes:
        out = self._process.stdout
        if out is None or out.closed:
            raise EmbedderFailed(self._model, "its worker was ended")
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            while b"\n" not in self._heard:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise EmbedderFailed(self._model, "its worker did not answer in time")
                part = out.read(1 << 16)
                if not part:
                    raise EmbedderFailed(self._model, "its worker died")
                self._heard += part
        line, _, self._heard = self._heard.partition(b"\n")
        return line
