"""Checkpoints: written atomically, read without executing anything, checked against what is asked of them."""

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from openral_core.errors import OpenRALError
from openral_core.files import sync_folder
from openral_training.detector.network import ARCHITECTURES, DetectionNetwork
from openral_training.detector.splits import ClassesDiffer

FORMAT = "openral-detector-1"
"""Marks a file as a checkpoint of this package."""
EXPORTED = "checkpoint.pt"
"""Weights in half precision in the folder of an rSkill, from which `openral teach` goes on."""
LISTED = 3
"""Layers named in an error [count]."""


class NotACheckpoint(OpenRALError):
    """A file that `openral train detector` did not write."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(
            f"{file} is not a checkpoint of `openral train detector`: {problem}; expected a run's folder, or "
            "its last.pt or best.pt"
        )


class OtherArchitecture(OpenRALError):
    """A checkpoint of another architecture than asked for."""

    def __init__(self, file: Path, architecture: str, requested: str) -> None:
        super().__init__(
            f"{file} is a checkpoint of architecture {architecture!r}, {requested!r} was asked for: "
            f"use --architecture {architecture}, or train anew without --init"
        )


class OtherLayers(OpenRALError):
    """A checkpoint whose architecture has the asked name, but other layers."""

    def __init__(self, file: Path, architecture: str, problems: Sequence[str]) -> None:
        super().__init__(
            f"{file} has other layers than architecture {architecture!r} of this version: "
            f"{'; '.join(problems[:LISTED])}{f'; {len(problems) - LISTED} more' * (len(problems) > LISTED)}. "
            "Use the version of openral_training that wrote it, or train anew"
        )


class CheckpointNotSaved(OpenRALError):
    """A checkpoint that could not be written; the one before it is unchanged."""

    def __init__(self, file: Path, reason: OSError) -> None:
        super().__init__(
            f"cannot save {file}: {reason.strerror or reason}; the checkpoint before it is unchanged. "
            "Free space, then go on with --resume"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """State of a run.

    ``weights`` are those to use, averaged; ``training`` is what a run needs beside them to go on, None in
    ``best.pt``.
    """

    architecture: str
    labels: tuple[str, ...]
    size: tuple[int, int]
    weights: Mapping[str, torch.Tensor]
    training: Mapping[str, Any] | None
    facts: Mapping[str, Any]

    def network(self) -> DetectionNetwork:
        """Return the network with these weights, for inference."""
        network = DetectionNetwork(self.architecture, len(self.labels))
        network.load_state_dict(dict(self.weights))
        return network.eval()

    def halved(self) -> "Checkpoint":
        """Return the weights in half precision, without what a run needs to go on."""
        weights = {
            n: value.half() if value.is_floating_point() else value for n, value in self.weights.items()
        }
        return replace(self, weights=weights, training=None)

    def blended(self, before: "Checkpoint", share: float) -> "Checkpoint":
        """Move the weights back towards those before; classes added since keep their part of the head.

        Source: Wortsman et al. 2022 (WiSE-FT).

        Args:
            before: The checkpoint from which this one was trained; its labels begin those of this one.
            share: Share of these weights, the rest is that of the ones before [1].
        """
        weights = {name: value.clone() for name, value in self.weights.items()}
        for name, value in before.weights.items():
            if value.is_floating_point():
                weights[name][: len(value)] = torch.lerp(value, weights[name][: len(value)], share)
        return replace(self, weights=weights, training=None)

    def save(self, file: Path) -> None:
        """Replace a file atomically.

        Raises:
            CheckpointNotSaved: If the disk is full or read-only; the file that was there is unchanged.
        """
        content = io.BytesIO()
        names = ("architecture", "labels", "size", "weights", "training", "facts")
        torch.save({"format": FORMAT, **{name: getattr(self, name) for name in names}}, content)
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            with fresh.open("wb") as out:
                out.write(content.getbuffer())
                out.flush()
                os.fsync(out.fileno())
            fresh.replace(file)
            sync_folder(file.parent)
        except OSError as error:
            raise CheckpointNotSaved(file, error) from error
        finally:
            fresh.unlink(missing_ok=True)


def read_checkpoint(file: Path) -> Checkpoint:
    """Read a checkpoint, or that of a run's or rSkill's folder: its best one, else its last.

    Raises:
        NotACheckpoint: If it is none, or cannot be read.
        OtherLayers: If its weights do not fit the architecture that it names.
    """
    if file.is_dir():
        names = ("best.pt", "last.pt", EXPORTED)
        file = next((file / name for name in names if (file / name).is_file()), file)
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged archive may raise anything
        raise NotACheckpoint(file, f"{type(error).__name__}: {str(error).splitlines()[0][:120]}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise NotACheckpoint(file, f"its format is not {FORMAT!r}")
    content.pop("format")
    checkpoint = Checkpoint(**{**content, "labels": tuple(content["labels"]), "size": tuple(content["size"])})
    if checkpoint.architecture not in ARCHITECTURES:
        raise NotACheckpoint(file, f"its architecture is {checkpoint.architecture!r}")
    problems = _misfits(checkpoint)
    if problems:
        raise OtherLayers(file, checkpoint.architecture, problems)
    return replace(checkpoint, weights=_as_type(checkpoint.weights, torch.float32))


def _as_type(weights: Mapping[str, torch.Tensor], kind: torch.dtype) -> dict[str, torch.Tensor]:
    """Convert the weights and running statistics; what counts batches stays as it is."""
    return {name: value.to(kind) if value.is_floating_point() else value for name, value in weights.items()}


def _misfits(checkpoint: Checkpoint) -> list[str]:
    """Return differences between the weights of a checkpoint and the layers that it should have."""
    with torch.device("meta"):
        layers = DetectionNetwork(checkpoint.architecture, len(checkpoint.labels)).state_dict()
    actual = {name: tuple(value.shape) for name, value in checkpoint.weights.items()}
    expected = {name: tuple(value.shape) for name, value in layers.items()}
    return [
        f"{name} has shape {actual.get(name, 'none')}, expected {expected.get(name, 'none')}"
        for name in [*expected, *actual.keys() - expected.keys()]
        if actual.get(name) != expected.get(name)
    ]


def initial_weights(
    file: Path, architecture: str, labels: Sequence[str], new_classes: bool
) -> dict[str, torch.Tensor]:
    """Return the weights of a checkpoint for a network with these labels.

    Classes that both have keep their part of the head; others start anew.

    Raises:
        NotACheckpoint, OtherLayers: See `read_checkpoint`.
        OtherArchitecture: If the architectures differ.
        ClassesDiffer: If the classes differ and ``new_classes`` is not set.
    """
    initial = read_checkpoint(file)
    if initial.architecture != architecture:
        raise OtherArchitecture(file, initial.architecture, architecture)
    if tuple(labels) != initial.labels and not new_classes:
        raise ClassesDiffer(
            f"{file} (--new-classes adds and removes classes)", initial.labels, "the data", labels
        )
    weights = DetectionNetwork(architecture, len(labels)).state_dict()
    for name, value in initial.weights.items():
        if weights[name].shape == value.shape and not name.startswith("class_head."):
            weights[name] = value
    for number, label in enumerate(labels):
        if label in initial.labels:
            for part in ("weight", "bias"):
                weights[f"class_head.{part}"][number] = initial.weights[f"class_head.{part}"][
                    initial.labels.index(label)
                ]
    return dict(weights)
