"""Validation of requests to one detector, and the responses built from its detections."""

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openral_core.detectors import Detection, LocateResult, LocateStatus
from openral_core.errors import format_choices
from openral_core.rskills import Sensor
from openral_core.text import (
    ReferringExpression,
    TermRelation,
    Thesaurus,
    UnreadableText,
    UnsupportedReference,
    parse_reference,
)
from openral_perception_ros.camera_images import decode_depth
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines.colours import ColourGrounding
from openral_perception_ros.locate_errors import (
    BadQuery,
    LocateError,
    NotInVocabulary,
    UnknownDetectorCamera,
    WrongDetector,
)
from openral_perception_ros.relations import NEED_DEPTH, Grounding, ground_reference
from openral_perception_ros.scheduler import DetectionResult

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
    if marks := [mark for mark in MARKUP if mark in query]:
        raise BadQuery(f"{' '.join(marks)} in {query!r}: use plain words without markup")
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

    ``labels`` maps each phrase to the matching labels of a closed vocabulary; None = the worker grounds the
    phrases. ``references`` has the parts of each term whose relations are judged.
    """

    query: str
    camera: str
    terms: tuple[str, ...]
    deadline: float
    labels: Mapping[str, tuple[str, ...]] | None = None
    references: Mapping[str, ReferringExpression] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        """Phrases to detect: the terms, or the parts of those whose relations are judged."""
        if not self.references:
            return self.terms
        return tuple(dict.fromkeys(part for each in self.references.values() for part in each.parts))


class RequestValidator:
    """Validate requests to a detector and build their responses; stateless."""

    def __init__(self, detector: Detector, default_deadline: float) -> None:
        self._detector = detector
        self._deadline = default_deadline
        self._thesaurus = Thesaurus.load()
        measures = detector.manifest.vocabulary.colours
        self._judges_relations = detector.manifest.vocabulary.relations
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
        return self._in_vocabulary(
            LocateQuery(query, camera or cameras[0], terms, deadline or self._deadline)
        )

    def build_response(
        self, locate_query: LocateQuery, result: DetectionResult, frame_age: float
    ) -> LocateResult:
        """Build the response from the detections that match the query."""
        detections = self._certain(locate_query, matching_detections(locate_query, result.detections))
        unclear: tuple[str, ...] = ()
        if locate_query.references:
            groundings = ground_references(locate_query, detections, result)
            detections = tuple(
                Detection(each.box, term, each.score, each.track)
                for term, grounding in groundings.items()
                for each in grounding.detections
            )
            unclear = tuple(grounding.unclear for grounding in groundings.values() if grounding.unclear)
        part_detections = tuple(
            each for each in result.detections if each.score >= self._detector.manifest.threshold
        )
        status = LocateStatus.BAD_QUERY if unclear else LocateStatus.NOT_IN_VIEW
        return LocateResult(
            status=LocateStatus.FOUND if detections else status,
            message=summarize(locate_query, detections, unclear, part_detections),
            query=locate_query.query,
            camera=locate_query.camera,
            detector=self._detector.manifest.id,
            detections=detections,
            frame_age=frame_age,
            queue_time=result.queue_time,
            inference_time=result.inference_time,
        )

    def _certain(self, locate_query: LocateQuery, detections: tuple[Detection, ...]) -> tuple[Detection, ...]:
        """Drop what scores too low for an answer; anchors of relations alone may score lower."""
        manifest, references = self._detector.manifest, locate_query.references.values()
        if manifest.anchor_threshold is None:
            return detections
        anchors = {each.anchor for each in references} - {each.target for each in references}
        least = dict.fromkeys(anchors, manifest.anchor_threshold)
        return tuple(each for each in detections if each.score >= least.get(each.label, manifest.threshold))

    def build_error(self, query: str, camera: str, error: LocateError) -> LocateResult:
        """Build the response of a failed request."""
        return LocateResult(error.status, str(error), query, camera, self._detector.manifest.id)

    def _in_vocabulary(self, locate_query: LocateQuery) -> LocateQuery:
        """Add labels, relations and unknown terms; raises `NotInVocabulary` if no term is known."""
        if self._detector.vocabulary is None:
            return locate_query
        references, reasons = self._references(locate_query.terms)
        hits = (TermRelation.EQUAL, TermRelation.NARROWER)
        parts = {term: reference.parts for term, reference in references.items()}
        parts |= {term: (term,) for term in locate_query.terms if not self._judges_relations}
        labels = {
            part: self._colours.labels_of(part) if self._colours else self._related(part, *hits)
            for each in parts.values()
            for part in each
        }
        valid = [term for term, each in parts.items() if all(labels[part] for part in each)]
        if not valid:
            broader = (
                label for term in locate_query.terms for label in self._related(term, TermRelation.BROADER)
            )
            raise NotInVocabulary(locate_query.terms, dict.fromkeys(broader), self._detector.labels, reasons)
        answered = {term: reference for term, reference in references.items() if term in valid}
        unknown = tuple(term for term in locate_query.terms if term not in valid)
        return replace(
            locate_query, labels=None if self._colours else labels, references=answered, unknown=unknown
        )

    def _references(self, terms: tuple[str, ...]) -> tuple[dict[str, ReferringExpression], tuple[str, ...]]:
        """Parse relations, if the detector judges them; return also the reasons why some cannot be judged."""
        references: dict[str, ReferringExpression] = {}
        reasons: list[str] = []
        if not self._judges_relations:
            return references, ()
        for term in terms:
            try:
                reference = parse_reference(term, self._thesaurus)
            except UnsupportedReference as error:
                reasons.append(str(error))
                continue
            depth_words = [each for each in (reference.rank, reference.relation) if each in NEED_DEPTH]
            if depth_words and Sensor.DEPTH not in self._detector.manifest.sensors:
                reasons.append(
                    f"'{depth_words[0]}' of {term!r} needs depth, which this detector does not receive"
                )
            else:
                references[term] = reference
        return references, tuple(reasons)

    def _related(self, term: str, *relations: TermRelation) -> tuple[str, ...]:
        labels = self._detector.labels
        return tuple(label for label in labels if self._thesaurus.relation(term, label) in relations)


def matching_detections(
    locate_query: LocateQuery, detections: tuple[Detection, ...]
) -> tuple[Detection, ...]:
    """Return the matching detections, labelled with the phrase of the query."""
    if locate_query.labels is None:
        return tuple(detection for detection in detections if detection.label in locate_query.phrases)
    return tuple(
        Detection(detection.box, phrase, detection.score, detection.track)
        for detection in detections
        for phrase, labels in locate_query.labels.items()
        if detection.label in labels
    )


def ground_references(
    locate_query: LocateQuery, detections: tuple[Detection, ...], result: DetectionResult
) -> dict[str, Grounding]:
    """Ground the terms whose relations are judged, in detections that are labelled with their parts."""
    parts = {phrase: [each for each in detections if each.label == phrase] for phrase in locate_query.phrases}
    depth = decode_depth(result.image_set)
    return {
        term: ground_reference(reference, parts, depth) for term, reference in locate_query.references.items()
    }


def summarize(
    locate_query: LocateQuery,
    detections: tuple[Detection, ...],
    unclear: tuple[str, ...] = (),
    part_detections: tuple[Detection, ...] = (),
) -> str:
    """Summarize a result in one line: counts by term, what is unclear, absent and not in the vocabulary.

    Args:
        unclear: What geometry did not decide.
        part_detections: What the detector found of the parts of the terms.
    """
    counts = {term: sum(detection.label == term for detection in detections) for term in locate_query.terms}
    missing = [term for term, count in counts.items() if not count and term not in locate_query.unknown]
    absent = [] if unclear else missing
    partly = Counter(each.label for each in part_detections if locate_query.references and absent)
    parts = [f"{count} x {term!r} in view" for term, count in counts.items() if count]
    parts += [f"unclear: {each}" for each in unclear]
    parts += [f"not in view: {format_choices(absent)}"] if absent else []
    parts += [f"in view are {', '.join(f'{n} x {label!r}' for label, n in partly.items())}"] if partly else []
    parts += (
        [f"not in the vocabulary: {format_choices(locate_query.unknown)}"] if locate_query.unknown else []
    )
    return f"camera {locate_query.camera!r}: " + "; ".join(parts)
