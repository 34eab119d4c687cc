"""Requests to one detector: what may be asked of it, and what its detections answer."""
# MERGED The words of a request, checked.

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from openral_core.detections import Detection
from openral_core.detectors import LocateResult, LocateStatus
from openral_core.errors import format_choices
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_perception_ros.detector import Detector
from openral_perception_ros.locate.errors import (
    BadQuery,
    LocateError,
    NotInVocabulary,
    UnknownDetectorCamera,
    WrongDetector,
)
from openral_perception_ros.locate.queue import DetectionResult

MAX_CHARACTERS = 256
MAX_TERMS = 16
MARKUP = "<>"
"""Grounding models mark up images, turns and boxes with them: a query must not be read as one."""


def split_query_terms(query: str, thesaurus: Thesaurus) -> tuple[str, ...]:
    """The terms of a comma-separated query, each once, as they were written.

    Raises:
        BadQuery: If it is empty, too long, holds control characters, markup or a term that names nothing.
    """
    if len(query) > MAX_CHARACTERS:
        raise BadQuery(f"{len(query)} characters, at most {MAX_CHARACTERS} can be asked")
    if any(unicodedata.category(character) == "Cc" for character in query):
        raise BadQuery(f"control characters in {query!r}")
    if found := [mark for mark in MARKUP if mark in query]:
        raise BadQuery(f"{' '.join(found)} in {query!r}: name things in plain words")
    terms = tuple(dict.fromkeys(term.strip() for term in query.split(",") if term.strip()))
    if not terms:
        raise BadQuery("it is empty: name what to look for, several terms separated by commas")
    if len(terms) > MAX_TERMS:
        raise BadQuery(f"{len(terms)} terms, at most {MAX_TERMS} can be asked at once")
    try:
        for term in terms:
            thesaurus.concept(term)
    except UnreadableText as error:
        raise BadQuery(str(error)) from error
    return terms


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """A request that this detector can be asked; ``deadline`` [s].

    ``labels`` maps each term to the words of a closed vocabulary that answer it; None = the model grounds it.
    """

    query: str
    camera: str
    terms: tuple[str, ...]
    deadline: float
    labels: Mapping[str, tuple[str, ...]] | None = None


class RequestValidator:
    """Checks requests and words answers; holds no state."""

    def __init__(self, detector: Detector, default_deadline: float) -> None:
        self._detector = detector
        self._deadline = default_deadline
        self._thesaurus = Thesaurus.load()

    def question(self, query: str, camera: str, detector: str, deadline: float) -> LocateQuery:
        """The request as a question, or the first reason why it is none.

        Raises:
            WrongDetector: If it is meant for another one.
            BadQuery: If its words or its deadline cannot be used.
            UnknownCamera: Naming the valid ones.
            NotInVocabulary: If a closed vocabulary holds none of the terms.
        """
        name = self._detector.manifest.name
        if detector and not name.answers_to(detector):
            raise WrongDetector(detector, (name.id, name.slug, *name.aliases))
        terms = split_query_terms(query, self._thesaurus)
        if not math.isfinite(deadline) or deadline < 0.0:
            raise BadQuery(f"deadline {deadline} s: expected a positive time, or 0 for {self._deadline:g} s")
        cameras = self._detector.cameras
        if camera and camera not in cameras:
            raise UnknownDetectorCamera(camera, cameras)
        return LocateQuery(
            query, camera or cameras[0], terms, deadline or self._deadline, self._labels_of(terms)
        )

    def answer(self, question: LocateQuery, seen: DetectionResult, frame_age: float) -> LocateResult:
        """What was seen, as far as it answers the question."""
        detections = _answering(question, seen.detections)
        found = {detection.label for detection in detections}
        return LocateResult(
            status=LocateStatus.FOUND if detections else LocateStatus.NOT_IN_VIEW,
            message=_words(question, detections, [term for term in question.terms if term not in found]),
            query=question.query,
            camera=question.camera,
            detector=self._detector.manifest.id,
            detections=detections,
            frame_age=frame_age,
            queue_time=seen.queue_time,
            inference_time=seen.inference_time,
        )

    def refusal(self, query: str, camera: str, refused: LocateError) -> LocateResult:
        """Why there is no answer, as one."""
        return LocateResult(refused.status, str(refused), query, camera, self._detector.manifest.id)

    def _labels_of(self, terms: tuple[str, ...]) -> dict[str, tuple[str, ...]] | None:
        if self._detector.vocabulary is None:
            return None
        labels = {term: self._related(term, TermRelation.EQUAL, TermRelation.NARROWER) for term in terms}
        if not any(labels.values()):
            broader = (label for term in terms for label in self._related(term, TermRelation.BROADER))
            raise NotInVocabulary(terms, dict.fromkeys(broader))
        return labels

    def _related(self, term: str, *relations: TermRelation) -> tuple[str, ...]:
        labels = self._detector.labels
        return tuple(label for label in labels if self._thesaurus.relation(term, label) in relations)


def _answering(question: LocateQuery, detections: tuple[Detection, ...]) -> tuple[Detection, ...]:
    """Those asked for, under the term as it was asked."""
    if question.labels is None:
        return tuple(each for each in detections if each.label in question.terms)
    return tuple(
        Detection(each.box, term, each.score, each.track)
        for each in detections
        for term, labels in question.labels.items()
        if each.label in labels
    )


def _words(question: LocateQuery, detections: tuple[Detection, ...], missing: list[str]) -> str:
    unknown = [term for term in missing if question.labels is not None and not question.labels[term]]
    absent = [term for term in missing if term not in unknown]
    counts = {term: sum(each.label == term for each in detections) for term in question.terms}
    parts = [f"{count} x {term!r} in view" for term, count in counts.items() if count]
    parts += [f"not in view: {format_choices(absent)}"] if absent else []
    parts += [f"not in the vocabulary: {format_choices(unknown)}"] if unknown else []
    return f"camera {question.camera!r}: " + "; ".join(parts)
