"""Validation of requests to one detector, and the responses built from its detections."""

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from openral_core.detectors import Detection, LocateResult, LocateStatus
from openral_core.errors import format_choices
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines.colours import ColourGrounding
from openral_perception_ros.inference.scheduler import DetectionResult
from openral_perception_ros.locate_errors import (
    BadQuery,
    LocateError,
    NotInVocabulary,
    UnknownDetectorCamera,
    WrongDetector,
)

MAX_CHARACTERS = 256
"""Longest query [characters]: more than any list of `MAX_TERMS` object names needs."""
MAX_TERMS = 16
"""Most terms of one query [count]: grounding time grows with each."""
MARKUP = "<>"
"""Grounding models delimit images, turns and boxes with these: a query must not inject one."""


def split_query_terms(query: str, thesaurus: Thesaurus) -> tuple[str, ...]:
    """Split a comma-separated query into its distinct terms, as written.

    Raises:
        BadQuery: If it is empty, too long, or contains control characters, markup or an unreadable term.
    """
    if len(query) > MAX_CHARACTERS:
        raise BadQuery(f"{len(query)} characters, the limit is {MAX_CHARACTERS}")
    if any(unicodedata.category(character) == "Cc" for character in query):
        raise BadQuery(f"control characters in {query!r}")
    if found := [mark for mark in MARKUP if mark in query]:
        raise BadQuery(f"{' '.join(found)} in {query!r}: use plain words without markup")
    terms = tuple(dict.fromkeys(term.strip() for term in query.split(",") if term.strip()))
    if not terms:
        raise BadQuery("it is empty: give one or more object names, separated by commas")
    if len(terms) > MAX_TERMS:
        raise BadQuery(f"{len(terms)} terms, the limit is {MAX_TERMS}")
    try:
        for term in terms:
            thesaurus.concept(term)
    except UnreadableText as error:
        raise BadQuery(str(error)) from error
    return terms


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """A valid request; ``deadline`` [s].

    ``labels`` maps each term to the matching labels of a closed vocabulary; None = the worker grounds the
    terms.
    """

    query: str
    camera: str
    terms: tuple[str, ...]
    deadline: float
    labels: Mapping[str, tuple[str, ...]] | None = None


class RequestValidator:
    """Validate requests to a detector and build their responses; stateless."""

    def __init__(self, detector: Detector, default_deadline: float) -> None:
        self._detector = detector
        self._deadline = default_deadline
        self._thesaurus = Thesaurus.load()
        measures = detector.manifest.vocabulary.colours
        self._colours = ColourGrounding(detector.labels, self._thesaurus) if measures else None

    def parse(self, query: str, camera: str, detector: str, deadline: float) -> LocateQuery:
        """Validate a request.

        Raises:
            WrongDetector: If it names another detector.
            BadQuery: If its text or its deadline is invalid.
            UnknownDetectorCamera: If this detector has no such camera.
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

    def build_response(
        self, locate_query: LocateQuery, found: DetectionResult, frame_age: float
    ) -> LocateResult:
        """Build the response from the detections that match the query."""
        detections = matching_detections(locate_query, found.detections)
        labels = {detection.label for detection in detections}
        return LocateResult(
            status=LocateStatus.FOUND if detections else LocateStatus.NOT_IN_VIEW,
            message=summarize(
                locate_query, detections, [term for term in locate_query.terms if term not in labels]
            ),
            query=locate_query.query,
            camera=locate_query.camera,
            detector=self._detector.manifest.id,
            detections=detections,
            frame_age=frame_age,
            queue_time=found.queue_time,
            inference_time=found.inference_time,
        )

    def build_error(self, query: str, camera: str, refused: LocateError) -> LocateResult:
        """Build the response of a failed request."""
        return LocateResult(refused.status, str(refused), query, camera, self._detector.manifest.id)

    def _labels_of(self, terms: tuple[str, ...]) -> dict[str, tuple[str, ...]] | None:
        if self._detector.vocabulary is None:
            return None
        hits = (TermRelation.EQUAL, TermRelation.NARROWER)
        labels = {
            term: self._colours.labels_of(term) if self._colours else self._related(term, *hits)
            for term in terms
        }
        if not any(labels.values()):
            broader = (label for term in terms for label in self._related(term, TermRelation.BROADER))
            raise NotInVocabulary(terms, dict.fromkeys(broader))
        return None if self._colours else labels

    def _related(self, term: str, *relations: TermRelation) -> tuple[str, ...]:
        labels = self._detector.labels
        return tuple(label for label in labels if self._thesaurus.relation(term, label) in relations)


def matching_detections(
    locate_query: LocateQuery, detections: tuple[Detection, ...]
) -> tuple[Detection, ...]:
    """Return the matching detections, labelled with the term of the query."""
    if locate_query.labels is None:
        return tuple(detection for detection in detections if detection.label in locate_query.terms)
    return tuple(
        Detection(detection.box, term, detection.score, detection.track)
        for detection in detections
        for term, labels in locate_query.labels.items()
        if detection.label in labels
    )


def summarize(locate_query: LocateQuery, detections: tuple[Detection, ...], missing: list[str]) -> str:
    """Summarize a result in one line: counts by term, and the ``missing`` terms with the reason."""
    unknown = [term for term in missing if locate_query.labels is not None and not locate_query.labels[term]]
    absent = [term for term in missing if term not in unknown]
    counts = {term: sum(detection.label == term for detection in detections) for term in locate_query.terms}
    parts = [f"{count} x {term!r} in view" for term, count in counts.items() if count]
    parts += [f"not in view: {format_choices(absent)}"] if absent else []
    parts += [f"not in the vocabulary: {format_choices(unknown)}"] if unknown else []
    return f"camera {locate_query.camera!r}: " + "; ".join(parts)
