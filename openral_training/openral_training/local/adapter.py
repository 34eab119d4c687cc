"""Adapter of a base model (LoRA): low-rank changes of its matrices, bound to the weights it was trained on.

Source: Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, ICLR 2022.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from openral_core.arrays import Array32
from openral_core.errors import OpenRALError

_BASE, _FORMAT = "base", "format"


class UnusableAdapter(OpenRALError):
    """Adapter that cannot be read, or of another base model or prompt."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"adapter {str(path)[-200:]!r}: {problem[:500]}")


@dataclass(frozen=True, slots=True)
class Adapter:
    """Changes ``b @ a`` by the name of the matrix they are added to; ``a`` (r, in), ``b`` (out, r)."""

    base: str  # SHA-256 of the file of the base model.
    prompt_format: int  # Version of lines and prompt that it was trained on.
    factors: Mapping[str, tuple[Array32, Array32]]

    def change(self, name: str) -> Array32 | None:
        """Return what is added to a matrix, None if nothing is."""
        factors = self.factors.get(name)
        return None if factors is None else factors[1] @ factors[0]

    def save(self, path: Path) -> None:
        """Write it in half precision."""
        about = json.dumps({_BASE: self.base, _FORMAT: self.prompt_format})
        parts = {
            f"{name}.{i}": x.astype(np.float16)
            for name, both in self.factors.items()
            for i, x in enumerate(both)
        }
        np.savez(path, about=np.array(about), **parts)  # type: ignore[arg-type]


def read_adapter(path: Path) -> Adapter:
    """Read an adapter.

    Raises:
        UnusableAdapter: If it cannot be read.
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            names = {name[:-2] for name in file.files if name != "about"}
            factors = {
                name: (file[f"{name}.0"].astype(np.float32), file[f"{name}.1"].astype(np.float32))
                for name in names
            }
        return Adapter(str(about[_BASE]), int(about[_FORMAT]), factors)
    except Exception as error:  # of a file that is cut, zipfile and numpy raise anything
        raise UnusableAdapter(path, f"cannot be read: {type(error).__name__}: {error}") from error


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and sizes in a folder."""
    if path.is_dir():
        files = sorted((each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in path.iterdir())
        return hashlib.sha256(json.dumps(files).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
