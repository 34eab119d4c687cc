"""Client of the embedding worker process; the model is never loaded in this process."""

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
        self._process = subprocess.Popen(
            [sys.executable, "-m", _WORKER, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._received = b""
        try:
            self._dimensions = int(str(self._receive(start, "ready")))
        except EmbedderFailed:
            self.close()
            raise

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (N, D); a worker that fails or is late is killed and not restarted.

        Raises:
            EmbedderFailed: If no vectors arrive in time.
        """
        try:
            self._send(texts)
            vectors = base64.b64decode(str(self._receive(self._deadline, "vectors")))
            return np.frombuffer(vectors, np.float32).reshape(len(texts), self._dimensions)
        except (EmbedderFailed, OSError, ValueError) as error:
            self.close()
            raise EmbedderFailed(self._model, str(error)) from error

    def close(self) -> None:
        """Kill the worker; idempotent."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _send(self, texts: Sequence[str]) -> None:
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(list(texts)).encode() + b"\n")

    def _receive(self, seconds: float, key: str) -> object:
        message = json.loads(self._read_line(time.monotonic() + seconds))
        if key not in message:
            raise EmbedderFailed(self._model, str(message.get("error", f"its reply has no {key!r}")))
        return message[key]

    def _read_line(self, end: float) -> bytes:
        out = self._process.stdout
        if out is None or out.closed:
            raise EmbedderFailed(self._model, "its worker was stopped")
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            while b"\n" not in self._received:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise EmbedderFailed(self._model, "its worker did not answer in time")
                part = out.read(1 << 16)
                if not part:
                    raise EmbedderFailed(self._model, "its worker exited")
                self._received += part
        line, _, self._received = self._received.partition(b"\n")
        return line
