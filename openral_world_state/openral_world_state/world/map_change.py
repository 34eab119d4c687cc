"""A map that was made anew: find how it lies to the old one, by furniture and corners of rooms of both.

Pairs of pieces that keep their distance propose a motion; the one that most pieces and corners confirm
counts, if it is certain. What memory has of the old map then moves along.

Source: Fischler and Bolles (1981), RANSAC, with every pair instead of random ones; Umeyama (1991), the fit.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter

from openral_core.arrays import Points, Transform
from openral_core.geometry import Pose, planar_part, transform_planar_points, yaw_matrix
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap

CORNER = "corner of a room"
_FACT = "landmarks"


@dataclass(frozen=True)
class ChangeConfig:
    """Thresholds from which two maps are taken to show one home."""

    stretch: float = 0.2  # Largest difference between the distances of two pieces in both maps [m].
    # Least distance of two pieces that propose a motion [m]; nearer ones tell little of the angle.
    apart: float = 0.8
    near: float = 0.3  # Distance at which a piece or corner is at the place of its partner [m].
    least: int = 4  # Pieces and corners that must be [1].
    least_pieces: int = 3  # Pieces among them [1].
    share: float = 0.6  # Share of the pieces that both maps have by name which must be [1].
    unique: float = 0.75  # Share of that number which no other motion may reach [1].
    # Distance [m] and angle [rad] from which a motion is another.
    elsewhere: tuple[float, float] = (0.5, 0.25)
    most: int = 300  # Landmarks of one map that are used [1].
    alike: int = 8  # Pieces of one label from which they propose no motion [1].
    proposals: int = 2000  # Motions that are compared [1].
    epochs: int = 4  # Maps whose landmarks are kept [1].


CHANGE = ChangeConfig()


class Landmark(BaseModel):
    """Something of a home that stays: its label and position in map [m]."""

    model_config = ConfigDict(frozen=True)

    label: str
    x: FiniteFloat
    y: FiniteFloat


class Landmarks(BaseModel):
    """The landmarks of one map."""

    model_config = ConfigDict(frozen=True)

    map_epoch: int
    found: tuple[Landmark, ...]

    @classmethod
    def of(cls, home: StaticMap, map_epoch: int) -> "Landmarks":
        """Take furniture by label, and corners of rooms."""
        pieces = [
            Landmark(label=site.node.label.casefold(), x=site.frame.x, y=site.frame.y)
            for site in home.sites
            if site.footprint is not None
        ]
        corners = [Landmark(label=CORNER, x=x, y=y) for area in home.areas for x, y in area.outline.polygon]
        return cls(map_epoch=map_epoch, found=(*pieces, *corners)[: CHANGE.most])


_LANDMARKS = TypeAdapter(tuple[Landmarks, ...])


def motion_between(old: Sequence[Landmark], new: Sequence[Landmark]) -> Transform | None:
    """Return the motion (4, 4) from an old map to a new one; None if it is not certain."""
    shared = {mark.label for mark in old} & {mark.label for mark in new} - {CORNER}
    most = min(sum(m.label in shared for m in old), sum(m.label in shared for m in new))
    scored = sorted(
        (
            (_agreement(T, old, new), index, T)
            for index, T in enumerate(islice(_proposals(old, new, shared), CHANGE.proposals))
        ),
        key=lambda entry: (sum(entry[0]), -entry[1]),
        reverse=True,
    )
    if not scored:
        return None
    (pieces, corners), _, best = scored[0]
    enough = pieces >= max(CHANGE.least_pieces, CHANGE.share * most) and pieces + corners >= CHANGE.least
    others = (sum(count) for count, _, T in scored if _is_elsewhere(best, T, old))
    return best if enough and max(others, default=0) < CHANGE.unique * (pieces + corners) else None


def _proposals(old: Sequence[Landmark], new: Sequence[Landmark], shared: set[str]) -> Iterator[Transform]:
    """Yield the motions that bring two pieces onto two of the same labels and distance, refined."""
    by_label = {label: [mark for mark in new if mark.label == label] for label in shared}
    counts = Counter(mark.label for mark in old)
    rare = {label for label in shared if max(counts[label], len(by_label[label])) < CHANGE.alike}
    pieces = [mark for mark in old if mark.label in rare]
    for a, b in combinations(pieces, 2):
        first = _points((a, b))
        length = float(np.linalg.norm(first[1] - first[0]))
        if length < CHANGE.apart:
            continue
        for p in by_label[a.label]:
            for q in by_label[b.label]:
                second = _points((p, q))
                if p is not q and abs(float(np.linalg.norm(second[1] - second[0])) - length) < CHANGE.stretch:
                    T = fitted(first, second)
                    here, there = _pairs(T, old, new)
                    yield fitted(here, there) if len(here) > 1 else T


def fitted(here: Points, there: Points) -> Transform:
    """Return the planar motion (4, 4) that brings points (N, 2) closest to their partners."""
    a, b = here - here.mean(axis=0), there - there.mean(axis=0)
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    T = yaw_matrix(0.0, 0.0, turn)
    T[:2, 3] = there.mean(axis=0) - T[:2, :2] @ here.mean(axis=0)
    return T


def _pairs(T: Transform, old: Sequence[Landmark], new: Sequence[Landmark]) -> tuple[Points, Points]:
    """Return the landmarks that have a partner of their label near, in both maps, shape (N, 2) each."""
    moved = transform_planar_points(T, _points(old))
    away = np.linalg.norm(moved[:, None] - _points(new)[None], axis=2)
    away[np.array([m.label for m in old])[:, None] != np.array([m.label for m in new])] = np.inf
    nearest = away.argmin(axis=1)
    paired = away[np.arange(len(old)), nearest] < CHANGE.near
    return _points(old)[paired], _points(new)[nearest[paired]]


def _agreement(T: Transform, old: Sequence[Landmark], new: Sequence[Landmark]) -> tuple[int, int]:
    """Return the numbers of pieces and of corners with a partner; each partner counts once."""
    counts = [
        len(np.unique(_pairs(T, marks, new)[1], axis=0)) if marks else 0
        for marks in ([m for m in old if m.label != CORNER], [m for m in old if m.label == CORNER])
    ]
    return counts[0], counts[1]


def _is_elsewhere(first: Transform, second: Transform, old: Sequence[Landmark]) -> bool:
    middle = np.append(_points(old).mean(axis=0), (0.0, 1.0))
    distance = float(np.linalg.norm((first @ middle - second @ middle)[:2]))
    turn = abs(planar_part(np.linalg.inv(first) @ second)[2])
    return distance > CHANGE.elsewhere[0] or turn > CHANGE.elsewhere[1]


def _points(marks: Sequence[Landmark]) -> Points:
    return np.array([(mark.x, mark.y) for mark in marks], dtype=float).reshape(-1, 2)


def bring_along(memory: SpatialMemory, home: StaticMap, map_epoch: int) -> int:
    """Move what memory has of older maps into a new one where both show one home; keep the new landmarks.

    What moved has to be seen again before it counts as present, as a thing in a room that was rebuilt.

    Returns:
        The number of objects that moved.
    """
    new = Landmarks.of(home, map_epoch)
    if not new.found:
        return 0
    stored, moved = memory.fact(_FACT, _LANDMARKS, ()), 0
    for marks in (marks for marks in stored if marks.map_epoch < map_epoch):
        records = [record for record in memory if record.map_epoch == marks.map_epoch]
        T = motion_between(marks.found, new.found) if records else None
        if T is not None:
            for record in records:
                _move(record, T, map_epoch)
                memory.touch(record)
            moved += len(records)
    latest = (*(marks for marks in stored if marks.map_epoch != map_epoch), new)
    if new not in stored:
        memory.put_fact(_FACT, _LANDMARKS.dump_json(latest[-CHANGE.epochs :]).decode())
    memory.commit()
    return moved


def _move(record: ObjectRecord, T: Transform, map_epoch: int) -> None:
    record.pose, record.map_epoch = Pose.from_matrix(T @ record.pose.matrix()), map_epoch
    R = T[:3, :3]
    record.covariance = tuple((R @ np.reshape(record.covariance, (3, 3)) @ R.T).ravel().tolist())
    if record.viewpoint is not None:
        x, y, z, _ = (T @ (*record.viewpoint, 1.0)).tolist()
        record.viewpoint = (x, y, z)
    record.misses = max(record.misses, 0 if record.carried else 1)
