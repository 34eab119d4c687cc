"""Vocabulary files of detectors; imports no ROS, because engines load them in environments of their own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from openral_core.documents import Document, load_document, shipped_document
from openral_core.rskills import DetectorManifest, Vocabulary
from openral_perception_ros.engines.errors import LabelMismatch


class VocabularyDocument(Document):
    """Vocabulary file of a closed detector, its labels in class order.

    ``labels`` maps each label to the phrases it also covers; ``groups`` sorts the labels for readers.
    A file may list ``groups`` alone: their labels, in order, are the vocabulary.
    """

    labels: dict[str, tuple[str, ...]] = Field(min_length=1)
    groups: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="before")
    @classmethod
    def _labels_of_groups(cls, content: dict[str, object]) -> dict[str, object]:
        groups = content.get("groups")
        if not isinstance(groups, dict) or "labels" in content:
            return content
        listed = [label for group in groups.values() for label in group]
        twice = sorted({label for label in listed if listed.count(label) > 1})
        if twice:
            raise ValueError(f"labels in two groups or twice in one: {twice}")
        return {**content, "labels": dict.fromkeys(listed, ())}


UNUSED_COCO_NUMBERS = frozenset((12, 26, 29, 30, 45, 66, 68, 69, 71, 83))
"""Numbers from 1 to 90 that COCO's annotations of 2017 do not use."""


def load_vocabulary(manifest: DetectorManifest, folder: Path) -> VocabularyDocument | None:
    """Load the vocabulary of a detector; None if it grounds any text.

    Raises:
        InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
    """
    if manifest.vocabulary.kind is Vocabulary.OPEN:
        return None
    if manifest.vocabulary.file:
        return load_document(VocabularyDocument, folder / manifest.vocabulary.file)
    listed = manifest.vocabulary.labels
    if isinstance(listed, str):
        return shipped_document(VocabularyDocument, "openral_perception_ros.engines", "labels/coco80.yaml")
    return VocabularyDocument(
        labels=dict.fromkeys(listed.values() if isinstance(listed, dict) else listed, ())
    )


def load_labels(manifest: DetectorManifest, folder: Path) -> tuple[str, ...]:
    """Return the labels of a detector in class order; empty if it grounds any text.

    Raises:
        InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
    """
    vocabulary = load_vocabulary(manifest, folder)
    return tuple(vocabulary.labels) if vocabulary else ()


@dataclass(frozen=True, slots=True, eq=False)
class ClassNames:
    """Names of the classes that are reported; ``numbers`` are their columns in the model's logits.

    ``in_order`` tells that they are all classes of the model, as in a list.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    in_order: bool = False

    @classmethod
    def of(cls, manifest: DetectorManifest, folder: Path, classes: int | None) -> Self:
        """Load the names of a model with so many ``classes``; None if they are not known.

        Raises:
            InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
            LabelMismatch: If vocabulary and model do not fit.
        """
        labels, listed = load_labels(manifest, folder), manifest.vocabulary.labels
        if listed == "coco91":
            numbers = (number for number in range(1, 91) if number not in UNUSED_COCO_NUMBERS)
            listed = dict(zip(numbers, labels, strict=True))
        if not isinstance(listed, dict):
            if classes is not None and classes != len(labels):
                raise LabelMismatch(classes, f"has {len(labels)} labels")
            return cls(labels, labels, np.arange(len(labels)), in_order=True)
        if classes is not None and max(listed) >= classes:
            raise LabelMismatch(classes, f"names class {max(listed)}: valid are 0 to {classes - 1}")
        return cls(labels, tuple(listed.values()), np.array(list(listed), np.int64))
