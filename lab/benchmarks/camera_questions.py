"""Answers to questions about photographs, judged by annotations and by what the detector detected in them.

As a benchmark they are asked over ROS, at `openral camera`. EVERY=n in the environment takes each n-th
photograph, BRAIN names who decides; the answers are kept beside the results.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import yaml
from graph.photographs import PhotoRobot, photo_detector, photo_robot

from openral_core.arrays import Array
from openral_core.detectors import Box, Detection, UnplacedDetection, part_of_image
from openral_testing.detectors.average_precision import Photograph
from openral_testing.detectors.detector_run import LoadedDetector
from openral_testing.real_data import real_data
from openral_testing.reasoner.camera_questions import CAMERA, ask
from openral_testing.robot_check.named_objects import OVERLAP, overlap

LONG = True
Row = dict[str, str | float]

NEAR = 0.05
"""Distance to the border of a part of the image up to which either part is right, of the image's size [1]."""
ABSENT = 2
"""Classes asked for in each photograph that it has not [1]."""
QUESTIONS: Mapping[str, list[str]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
"""Questions by what they ask for; those of one kind are asked in turns."""
_OBJECT = re.compile(r"([A-Za-z][A-Za-z -]*?) \(([^()]*)\)")
_NO = ("I see no", "I couldn't find", "no object that I know")
_MANY = {"person": "people", "knife": "knives", "mouse": "mice", "skis": "skis", "sheep": "sheep"}
_SIBILANT = ("s", "sh", "ch", "x")


class Annotated(NamedTuple):
    """Object of a photograph: label, centre relative to the image, and if the detector detected it."""

    label: str
    centre: tuple[float, float]
    is_detected: bool

    @property
    def parts(self) -> set[str]:
        """Parts of the image that say where it is: near a border, those on both sides of it."""
        x, y = self.centre
        return {part_of_image(x + dx, y + dy) for dx in (-NEAR, NEAR) for dy in (-NEAR, NEAR)}


class AskedQuestion(NamedTuple):
    """Question about a label or a side, with the objects that are targets and all that are there."""

    kind: str
    subject: str
    question: str
    targets: Sequence[Annotated]
    there: Sequence[Annotated]


def run() -> list[Row]:
    """Ask over ROS, as missions of a launched graph whose camera is a folder of the photographs."""
    data, brain = real_data(Path(__file__).parents[2]), os.environ.get("BRAIN", "scripted")
    photographs = Photograph.read(data / "photos")[:: int(os.environ.get("EVERY", "1"))]
    names = [each.file.name for each in photographs]
    with photo_detector(data) as detector, photo_robot(names, data, ("--brain", brain)) as robot:
        rows = interview(photographs, detector, robot)
    robot.save(Path(__file__).parent / "results" / f"camera_questions_{brain}.tsv")
    return [*rows, {"questions": "all", "asked": len(robot.missions), **robot.ends()}]


def interview(
    photographs: Sequence[Photograph], detector: LoadedDetector, robot: PhotoRobot | None = None
) -> list[Row]:
    """Ask a robot, or the core alone, about photographs, in each also for classes that it has not."""
    labels = detector.ready.labels
    tallies: dict[str, Counter[str]] = {kind: Counter() for kind in QUESTIONS}
    turns = {kind: count() for kind in QUESTIONS}
    for index, photograph in enumerate(photographs):
        image = np.ascontiguousarray(np.asarray(cv2.imread(str(photograph.file)))[..., ::-1], np.uint8)
        detections = detector.detect(image).detections
        size = np.array(image.shape[1::-1], float)
        in_view = [_unplaced(each, size) for each in detections]
        others = (labels[(7 * index + 13 * step) % len(labels)] for step in range(len(labels)))
        absent = [each for each in others if each not in photograph.boxes][:ABSENT]
        there = annotated(photograph, detections, size)
        if robot is not None:
            robot.show(photograph.file.name)
        for kind, subject, targets in cases(there, absent):
            text = QUESTIONS[kind][next(turns[kind]) % len(QUESTIONS[kind])]
            case = AskedQuestion(kind, subject, worded(text, subject), targets, there)
            reply = robot.ask(case.question).reason if robot else ask(case.question, in_view, labels)
            tallies[kind].update(judge(case, reply))
    return [
        {
            "questions": kind,
            "asked": tally["asked"],
            "not understood": tally["not understood"],
            "recall": round(tally["answers"] / tally["items"], 3),
            "detector's recall": round(tally["detections"] / tally["items"], 3),
            "wrong": round(tally["errors"] / max(tally["statements"], 1), 3),
        }
        for kind, tally in tallies.items()
    ]


def _unplaced(each: Detection, size: Array) -> UnplacedDetection:
    x, y = (float(value) for value in np.array(each.box.center) / size)
    return UnplacedDetection(CAMERA, each.label, each.score, part_of_image(x, y), 0.1, (x, y))


def annotated(photograph: Photograph, detections: Sequence[Detection], size: Array) -> list[Annotated]:
    """Match annotated objects with detections, best score first, each used once; crowds are left out."""
    objects: list[Annotated] = []
    for label, corners in photograph.boxes.items():
        free = sorted((each for each in detections if each.label == label), key=lambda each: -each.score)
        for corner in corners[~photograph.crowds[label]]:
            box = Box(*map(float, corner))
            hit = next((each for each in free if overlap(each.box, box) >= OVERLAP), None)
            if hit is not None:
                free.remove(hit)
            x, y = (float(value) for value in np.array(box.center) / size)
            objects.append(Annotated(label, (x, y), hit is not None))
    return objects


def cases(there: Sequence[Annotated], absent: Sequence[str]) -> list[tuple[str, str, Sequence[Annotated]]]:
    """Return kind, subject and the objects that are targets of each question about a photograph."""
    sides = [
        ("side", side, [o for o in there if side in part_of_image(*o.centre)]) for side in ("left", "right")
    ]
    of_labels = [
        (kind, label, own)
        for label in (*sorted({each.label for each in there}), *absent)
        for own in [[each for each in there if each.label == label]]
        for kind in (("exists", "count", "where", "beside") if own else ("exists", "count"))
    ]
    return [("look", "", there), *sides, *of_labels]


def worded(text: str, subject: str) -> str:
    """Return a question about a subject."""
    plural = (
        subject if subject.endswith("scissors") else subject + ("es" if subject.endswith(_SIBILANT) else "s")
    )
    article = "an" if subject[:1] in "aeio" else "a"
    return text.format(a=f"{article} {subject}", one=subject, many=_MANY.get(subject, plural))


def judge(case: AskedQuestion, reply: str) -> Counter[str]:
    """Compare what an answer states with what is there; ``items`` are what is right to state."""
    listed = reply.partition("view: ")[2] or reply.removeprefix("I see ")
    objects = [(label.rpartition(": ")[2].strip(), words) for label, words in _OBJECT.findall(listed)]
    statements, right, detected = _sets(
        case, reply, {label for label, _ in objects}, [words for _, words in objects]
    )
    allowed: set[object] = {each.label for each in case.there} if case.kind in ("look", "side") else right
    return Counter(
        {
            "asked": 1,
            "not understood": not objects and not any(no in reply for no in _NO),
            "items": len(right),
            "answers": len(right & statements),
            "detections": len(detected),
            "statements": len(statements),
            "errors": len(statements - allowed),
        }
    )


def _sets(
    case: AskedQuestion, reply: str, labels: set[str], words: Sequence[str]
) -> tuple[set[object], set[object], set[object]]:
    """Return what is statements, what is right, and what of it the detector detected."""
    targets, every = case.targets, range(len(case.targets))
    detected = {index for index in every if targets[index].is_detected}
    match case.kind:
        case "count":
            number = int((re.findall(r"I see (\d+) x", reply) or ["0"])[0])
            return set(range(number)), set(every), set(range(len(detected)))
        case "where":
            parts = {each.partition(";")[0].rpartition(", ")[2] for each in words}
            right: set[object] = {index for index in every if targets[index].parts & parts}
            return (
                right | (parts - {part for each in targets for part in each.parts}),
                set(every),
                set(detected),
            )
        case "beside":
            if len(targets) != 1:
                return set(), set(), set()
            sign, anchor = (-1.0 if "left" in case.question else 1.0), targets[0]
            others = [each for each in case.there if each.label != anchor.label]
            targets = [each for each in others if sign * (each.centre[0] - anchor.centre[0]) > 0.0]
            labels = labels - {anchor.label}
            hits = {each.label for each in targets if each.is_detected and anchor.is_detected}
            return set(labels), {each.label for each in targets}, set(hits)
        case "exists":
            labels = labels & {case.subject}
    return set(labels), {each.label for each in targets}, {each.label for each in targets if each.is_detected}
