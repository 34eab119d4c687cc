"""Looks: questions to a detector, from the request's check to the answer."""

from openral_perception_ros.looks.line import WaitingLine
from openral_perception_ros.looks.look import Look, LookOutcome, Seen
from openral_perception_ros.looks.refusals import (
    BadQuery,
    DeadlinePassed,
    DetectorFailed,
    DetectorOutOfMemory,
    LineFull,
    LookRefused,
    NoFrame,
    NotActive,
    NotInVocabulary,
    StaleFrame,
    StillLoading,
    UnknownCamera,
    WorkerGivenUp,
    WrongDetector,
)

__all__ = [
    "BadQuery",
    "DeadlinePassed",
    "DetectorFailed",
    "DetectorOutOfMemory",
    "LineFull",
    "Look",
    "LookOutcome",
    "LookRefused",
    "NoFrame",
    "NotActive",
    "NotInVocabulary",
    "Seen",
    "StaleFrame",
    "StillLoading",
    "UnknownCamera",
    "WaitingLine",
    "WorkerGivenUp",
    "WrongDetector",
]
