"""Notes of a guided tour: names that a person gives to what the robot stands at, as annotations of a map."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import pi
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import ValidationError

from openral_core.documents import InvalidDocument, load_document
from openral_core.errors import OpenRALError
from openral_core.files import replace_file
from openral_core.home_map import HomeMap, Pose2
from openral_mapping.home.annotations import (
    STANDOFF,
    FurnitureAnnotation,
    HomeAnnotations,
    PersonAnnotation,
    PlaceAnnotation,
    RoomAnnotation,
    annotated,
)

DECIMALS = 3
"""Decimals of positions [m] and headings [rad]."""


class UnknownNote(OpenRALError):
    """A line that is not a note."""

    def __init__(self, line: str, problem: str) -> None:
        valid = ", ".join(f"'{kind} NAME'" for kind in KINDS)
        super().__init__(f"{line!r}: {problem}; expected {valid}")


def _room(name: str, pose: Pose2) -> RoomAnnotation:
    return RoomAnnotation(at=(pose.x, pose.y), name=name)


def _place(name: str, pose: Pose2) -> PlaceAnnotation:
    return PlaceAnnotation(name=name, at=(pose.x, pose.y), yaw=pose.yaw)


def _person(name: str, pose: Pose2) -> PersonAnnotation:
    return PersonAnnotation(name=name, at=_ahead(pose), yaw=_facing(pose))


def _furniture(kind: str, pose: Pose2) -> FurnitureAnnotation:
    return FurnitureAnnotation(kind=kind, at=_ahead(pose), yaw=_facing(pose))


def _ahead(pose: Pose2) -> tuple[float, float]:
    """Return the point at arm's length before the robot [m]."""
    x, y = pose.to_parent(STANDOFF, 0.0)
    return round(x, DECIMALS), round(y, DECIMALS)


def _facing(pose: Pose2) -> float:
    """Return the heading of what faces the robot [rad], in [-pi, pi)."""
    return round((pose.yaw + 2.0 * pi) % (2.0 * pi) - pi, DECIMALS)


Note = RoomAnnotation | PlaceAnnotation | FurnitureAnnotation | PersonAnnotation
KINDS: dict[str, tuple[str, Callable[[str, Pose2], Note]]] = {
    "room": ("rooms", _room),
    "place": ("places", _place),
    "furniture": ("furniture", _furniture),
    "person": ("people", _person),
}
"""Words that begin a note, with the list of `HomeAnnotations` that takes it."""


@dataclass
class TourNotes:
    """Notes so far, on the disk after each line: what a tour that broke off had noted is there again."""

    path: Path
    annotations: HomeAnnotations = field(default_factory=HomeAnnotations)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Go on with the notes of an earlier tour, if there are any.

        Raises:
            InvalidDocument: If the file holds something else.
        """
        return cls(path, load_document(HomeAnnotations, path)) if path.exists() else cls(path)

    def add(self, line: str, pose: Pose2) -> str:
        """Note a name; it replaces an earlier note of that name, or of furniture at that point.

        Args:
            line: Kind and name, such as "furniture fridge"; furniture and people are 0.8 m before the robot.
            pose: Of the robot's base in map.

        Returns:
            What was noted, in words.

        Raises:
            UnknownNote: If the line is none.
        """
        kind, _, name = line.strip().partition(" ")
        if kind not in KINDS:
            raise UnknownNote(line.strip(), f"unknown kind {kind!r}")
        name = " ".join(name.split())
        if not name:
            raise UnknownNote(line.strip(), "the name is missing")
        part, make = KINDS[kind]
        rounded = {axis: round(value, DECIMALS) for axis, value in pose.model_dump().items()}
        try:
            note = make(name, Pose2(**rounded))
        except ValidationError as error:
            raise UnknownNote(line.strip(), error.errors()[0]["msg"]) from error
        others = [item for item in getattr(self.annotations, part) if not _replaces(note, item)]
        self._save(self.annotations.model_copy(update={part: (*others, note)}))
        return f"{kind} {name!r} at {note.at}"

    def applied_to(self, home: HomeMap) -> tuple[HomeMap, list[str]]:
        """Return the map with all notes that fit it, and what is wrong with the others."""
        problems: list[str] = []
        for part, _ in KINDS.values():
            for note in getattr(self.annotations, part):
                try:
                    home = annotated(home, HomeAnnotations.model_validate({part: [note]}), self.path)
                except InvalidDocument as error:
                    problems += error.problems
        return home, problems

    def _save(self, annotations: HomeAnnotations) -> None:
        content: dict[str, Any] = annotations.model_dump(mode="json", exclude_defaults=True)
        text = yaml.safe_dump(content, default_flow_style=None, sort_keys=False, allow_unicode=True)
        replace_file(self.path, text)
        self.annotations = annotations


def _replaces(note: Note, earlier: Note) -> bool:
    """Tell if both name the same; a home may have several tables."""
    if isinstance(note, FurnitureAnnotation):
        return note.at == earlier.at
    return not isinstance(earlier, FurnitureAnnotation) and note.name.casefold() == earlier.name.casefold()
