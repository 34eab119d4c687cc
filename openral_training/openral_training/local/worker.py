"""Worker of a language model: reads a prompt with lines per JSON line, and writes which line it chose.

Its first line reports that it is ready, or the error. It exits at the end of its input.
"""

import json
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from openral_core.arrays import Array32
from openral_core.errors import OpenRALError
from openral_training.local.prepare import ABOUT, MAX_TOKENS
from openral_training.local.tokens import LineEncoder

CHUNK = 256
"""Most tokens per run of the graph [1]; bounds the memory of their activations."""
MEMORY_FACTOR, MEMORY_BASE = 3, 600 << 20
"""Bound of the worker's memory: a multiple of its files [1], plus this [bytes]."""


class PromptTooLong(OpenRALError):
    """Prompt that does not fit the model's window."""

    def __init__(self, tokens: int) -> None:
        super().__init__(f"a prompt of {tokens} tokens; at most {MAX_TOKENS} fit, with the answer")


@dataclass(frozen=True, slots=True)
class Picked:
    """Chosen line, with the tokens that were read for it and those of them that lay in the cache."""

    index: int
    read: int
    cached: int
    written: int


class LineChooser:
    """A model on one thread that picks lines token by token; remembers the last prompt.

    Args:
        folder: As `prepared` returns it.
    """

    def __init__(self, folder: Path) -> None:
        about = json.loads((folder / ABOUT).read_text())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        model = str(folder / "model.onnx")
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._embeddings = np.load(folder / "embeddings.npy", mmap_mode="r")
        output = folder / "output.npy"
        self._output = np.load(output, mmap_mode="r") if output.exists() else self._embeddings
        self._encoder = LineEncoder(Tokenizer.from_file(str(folder / "tokenizer.json")))
        self._bos = [] if about["bos"] is None else [about["bos"]]
        self._held: list[int] = []
        size = (1, about["kv_heads"], MAX_TOKENS, about["head_width"])
        self._buffers = {
            f"{part}.{layer}": onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(size, np.float32))
            for layer in range(about["layers"])
            for part in ("key", "value")
        }

    def choose(self, prompt: str, lines: list[str]) -> Picked:
        """Return the line that the model would write after a prompt if it could write no other.

        Raises:
            PromptTooLong: If the prompt does not fit.
        """
        tokens = [*self._bos, *self._encoder.prompt(prompt)]
        choices = [self._encoder.choice(line) for line in lines]
        if len(tokens) + max(map(len, choices)) > MAX_TOKENS:
            raise PromptTooLong(len(tokens))
        cached = self._reuse(tokens)
        alive, depth, pending = list(range(len(lines))), 0, tokens[cached:]
        while len(alive) > 1 and depth < min(len(choices[index]) for index in alive):
            following = sorted({choices[index][depth] for index in alive})
            best = following[0]
            if len(following) > 1:
                hidden = self._extend(pending)
                best, pending = following[int(np.argmax(self._output[following] @ hidden))], []
            pending.append(best)
            alive = [index for index in alive if choices[index][depth] == best]
            depth += 1
        return Picked(alive[0], len(tokens), cached, depth)

    def _reuse(self, tokens: list[int]) -> int:
        """Keep what the last prompt shares with this one, short of its last token; return its length."""
        most = min(len(self._held), len(tokens) - 1)
        shared = next((i for i in range(most) if self._held[i] != tokens[i]), most)
        del self._held[shared:]
        return shared

    def _extend(self, tokens: list[int]) -> Array32:
        """Read further tokens; return the hidden state of the last one."""
        for start in range(0, len(tokens), CHUNK):
            hidden = self._run(tokens[start : start + CHUNK])
        return hidden

    def _run(self, tokens: list[int]) -> Array32:
        total = len(self._held) + len(tokens)
        binding = self._session.io_binding()
        binding.bind_output("y")
        binding.bind_cpu_input("x", self._embeddings[tokens].astype(np.float32)[None])
        binding.bind_cpu_input("last", np.array([total - 1], np.int32))
        binding.bind_cpu_input("total", np.array(total, np.int32))
        for name, buffer in self._buffers.items():
            binding.bind_ortvalue_input(f"past_{name}", buffer)
            binding.bind_ortvalue_output(name, buffer)
        self._session.run_with_iobinding(binding)
        self._held += tokens
        hidden: Array32 = binding.get_outputs()[0].numpy()[0, -1]
        return hidden


def serve(folder: Path) -> int:
    """Load a model within a bound of memory, and answer requests until the end of the input."""
    bound = MEMORY_FACTOR * sum(file.stat().st_size for file in folder.iterdir()) + MEMORY_BASE
    resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))
    try:
        chooser = LineChooser(folder)
    except Exception as error:  # the run time raises anything for files that are cut
        _send({"error": f"{type(error).__name__}: {error}"[:500]})
        return 1
    _send({"ready": str(folder)})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            _send(asdict(chooser.choose(request["prompt"], request["lines"])))
        except OpenRALError as error:
            _send({"error": str(error)})
    return 0


def _send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(serve(Path(sys.argv[1])))
