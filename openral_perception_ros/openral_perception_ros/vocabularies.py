"""Vocabulary files: the labels a closed detector can say, in class order, and what each covers."""

from pathlib import Path

from pydantic import Field

from openral_core.detectors import Vocabulary
from openral_core.documents import Document, load_document
from openral_core.rskills import DetectorManifest


class VocabularyDocument(Document):
    """``labels`` maps each label to phrases it also stands for; ``groups`` sorts labels for people."""

    labels: dict[str, tuple[str, ...]] = Field(min_length=1)
    groups: dict[str, tuple[str, ...]] = {}


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
