"""Vocabulary files: the labels a closed detector can say, in class order, and what each covers."""

from pathlib import Path

from pydantic import Field, model_validator

from openral_core.detectors import Vocabulary
from openral_core.documents import Document, load_document
from openral_core.rskills import DetectorManifest


class VocabularyDocument(Document):
    """``labels`` maps each label to phrases it also stands for; ``groups`` sorts labels for people.

    A file may list ``groups`` alone: its labels are theirs, in order.
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


def vocabulary_of(manifest: DetectorManifest, folder: Path) -> VocabularyDocument | None:
    """What a detector can name; None when it grounds any text.

    Raises:
        InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
    """
    if manifest.vocabulary.kind is Vocabulary.OPEN:
        return None
    if manifest.vocabulary.file:
        return load_document(VocabularyDocument, folder / manifest.vocabulary.file)
    return VocabularyDocument(labels=dict.fromkeys(manifest.vocabulary.labels, ()))


def labels_of(manifest: DetectorManifest, folder: Path) -> tuple[str, ...]:
    """What a detector can name, in class order; empty when it grounds any text.

    Raises:
        InvalidDocument: If the vocabulary file beside the manifest is missing or wrong.
    """
    vocabulary = vocabulary_of(manifest, folder)
    return tuple(vocabulary.labels) if vocabulary else ()
