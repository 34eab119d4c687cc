"""Prepared files of a language model, made once per base and adapter: graph, embeddings and tokenizer.

Run as a module it makes them in a process of its own and writes their folder, or the error, as a JSON line.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from openral_core.errors import OpenRALError
from openral_reasoner.compact.choices import FORMAT
from openral_training.local.adapter import Adapter, UnusableAdapter, file_digest, read_adapter
from openral_training.local.onnx_graph import GraphBuilder
from openral_training.local.weights import DecoderWeights, UnusableWeights, read_weights

MAX_TOKENS = 2048
"""Longest prompt with its answer [tokens]."""
ABOUT = "about.json"
"""Description of the prepared files; written last."""
_LAYOUT = 1  # of the prepared files; those of another one are made anew


def prepared(base: Path, adapter: Path | None, cache: Path) -> Path:
    """Return the folder of the files that the worker loads, which are made once.

    Raises:
        UnusableWeights: If the base model cannot be read.
        UnusableAdapter: If the adapter cannot be read, or belongs to another base or prompt.
    """
    if not base.exists():
        raise UnusableWeights(base, "there is no such file or folder")
    digest = file_digest(base)
    change = None if adapter is None else checked(read_adapter(adapter), adapter, digest)
    part = "base" if adapter is None else file_digest(adapter)[:16]
    folder = cache / f"{digest[:16]}-{part}-{_LAYOUT}"
    if not (folder / ABOUT).exists():
        weights = read_weights(base)
        cache.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=cache, prefix=".preparing-"))
        try:
            write_files(weights, change, fresh)
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


def checked(adapter: Adapter, path: Path, digest: str) -> Adapter:
    """Return an adapter that belongs to the base of a digest, and to this prompt."""
    if adapter.base != digest:
        raise UnusableAdapter(path, f"of a base with SHA-256 {adapter.base}, this one's is {digest}")
    if adapter.prompt_format != FORMAT:
        raise UnusableAdapter(
            path, f"trained on prompts of format {adapter.prompt_format}, this is format {FORMAT}"
        )
    return adapter


def write_files(weights: DecoderWeights, adapter: Adapter | None, folder: Path) -> None:
    """Write graph, embeddings (half precision), tokenizer and their description."""
    GraphBuilder(weights, adapter, folder, MAX_TOKENS).build()
    np.save(folder / "embeddings.npy", weights.tensor("token_embd.weight").astype(np.float16))
    if "output.weight" in weights.names:
        np.save(folder / "output.npy", weights.tensor("output.weight").astype(np.float16))
    weights.tokenizer.save(str(folder / "tokenizer.json"))
    shape = weights.shape
    about = {
        "layers": shape.layers,
        "kv_heads": shape.kv_heads,
        "head_width": shape.head_width,
        "bos": weights.bos,
    }
    (folder / ABOUT).write_text(json.dumps(about))


def main(base: str, adapter: str, cache: str) -> int:
    """Prepare a model; an empty ``adapter`` is none."""
    try:
        folder = prepared(Path(base), Path(adapter) if adapter else None, Path(cache))
    except (OpenRALError, OSError, MemoryError) as error:
        sys.stdout.write(json.dumps({"error": str(error) or type(error).__name__}) + "\n")
        return 1
    sys.stdout.write(json.dumps({"ready": str(folder)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
