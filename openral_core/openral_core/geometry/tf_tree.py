"""A tree of moving frames, asked at a moment.

The rules for odd input are those of tf2.
"""

import math
from bisect import bisect_left
from collections import deque

import numpy as np
from numpy.typing import NDArray
from pytransform3d.rotations import quaternion_slerp

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry.pose import Pose, inverse


class UnknownFrame(OpenRALError):
    """A frame that nothing connects to the other."""

    def __init__(self, target: str, source: str, known: list[str]) -> None:
        super().__init__(
            f"no transform from {source!r} to {target!r}: known frames are {format_choices(known)}"
        )


class StaleTransform(OpenRALError):
    """A moment that the transforms at hand do not cover."""

    def __init__(self, frame: str, asked: float, first: float, last: float) -> None:
        super().__init__(
            f"transform of {frame!r} at {asked:.3f} s is not known: "
            f"the buffer holds {first:.3f} s to {last:.3f} s"
        )


class InvalidTransform(OpenRALError):
    """A transform that can have no place in a tree."""

    def __init__(self, parent: str, child: str, problem: object) -> None:
        super().__init__(f"transform from {parent!r} to {child!r} is ignored: {problem}")


MOST_FRAMES = 2_000
"""Frames kept; more than any robot has, so that a sender of ever new names cannot fill the memory."""


class _Track:
    """One frame's poses in its parent over time; a single static one has no times."""

    def __init__(self, frame: str, parent: str, history: float) -> None:
        self.frame, self.parent, self._history = frame, parent, history
        self._times: deque[float] = deque()
        self._poses: deque[Pose] = deque()
        self.static: NDArray[np.float64] | None = None

    def add(self, time: float, pose: Pose) -> None:
        """Keep a pose in its order; one older than the history means that time begins anew."""
        if self._times and time < self._times[-1] - self._history:
            self._times.clear()
            self._poses.clear()
        place = bisect_left(self._times, time)
        if place < len(self._times) and self._times[place] == time:
            self._poses[place] = pose
            return
        self._times.insert(place, time)
        self._poses.insert(place, pose)
        while self._times[0] < self._times[-1] - self._history:
            self._times.popleft()
            self._poses.popleft()

    @property
    def newest(self) -> float:
        """Time of the last pose [s], infinite for one that never moves."""
        return math.inf if self.static is not None else self._times[-1]

    def at(self, time: float) -> NDArray[np.float64]:
        if self.static is not None:
            return self.static
        if not self._times[0] <= time <= self._times[-1]:
            raise StaleTransform(self.frame, time, self._times[0], self._times[-1])
        after = bisect_left(self._times, time)
        if self._times[after] == time:
            return self._poses[after].matrix()
        share = (time - self._times[after - 1]) / (self._times[after] - self._times[after - 1])
        return _between(self._poses[after - 1], self._poses[after], share).matrix()


class TfTree:
    """Transforms by child frame, interpolated between their stamps, never beyond them.

    Args:
        history: How long moving transforms are kept [s].
    """

    def __init__(self, history: float = 10.0) -> None:
        self._history = history
        self._tracks: dict[str, _Track] = {}

    def add(self, parent: str, child: str, pose: Pose, time: float) -> None:
        """A moving transform: the pose of ``child`` in ``parent`` at ``time`` [s].

        Raises:
            InvalidTransform: If it has no place in the tree.
        """
        track = self._tracks.get(child)
        if track is None or track.parent != parent or track.static is not None:
            track = self._new_track(parent, child)
        self._tracks[child] = self._tracks.pop(child)  # the last heard stands at the end
        track.add(time, pose)

    def newest(self, target: str, source: str) -> float:
        """The last time [s] at which every transform between the frames is known; infinite when none moves.

        Raises:
            UnknownFrame: If the frames are not connected.
        """
        up, down = self._ways(target, source)
        return min((self._tracks[frame].newest for frame in (*up, *down)), default=math.inf)

    def add_static(self, parent: str, child: str, pose: Pose) -> None:
        """A transform that holds at every time, until a moving one of the same child comes.

        Raises:
            InvalidTransform: As in `add`.
        """
        self._new_track(parent, child).static = pose.matrix()

    def forget_moving(self) -> None:
        """Time began anew: what is static still holds."""
        self._tracks = {child: each for child, each in self._tracks.items() if each.static is not None}

    def lookup(self, target: str, source: str, time: float) -> NDArray[np.float64]:
        """``T_target_source`` at ``time`` [s], shape (4, 4), through the first frame that both hang below.

        Raises:
            UnknownFrame: If the frames are not connected.
            StaleTransform: If a transform between them is not known at that time.
        """
        up, down = self._ways(target, source)
        return inverse(self._along(down, time)) @ self._along(up, time)

    @property
    def frames(self) -> list[str]:
        """Every frame heard of."""
        return sorted({name for track in self._tracks.values() for name in (track.frame, track.parent)})

    def _new_track(self, parent: str, child: str) -> _Track:
        """An empty one in place of whatever ``child`` had."""
        if not child or not parent or child == parent:
            raise InvalidTransform(parent, child, "it needs two frames")
        if child not in self._tracks and len(self._tracks) >= MOST_FRAMES:
            self._forget_one()
        track = self._tracks[child] = _Track(child, parent, self._history)
        return track

    def _forget_one(self) -> None:
        """Drop the moving frame that was silent longest; when none moves, the static one heard first."""
        silent = (name for name, track in self._tracks.items() if track.static is None)
        del self._tracks[next(silent, next(iter(self._tracks)))]

    def _chain(self, frame: str) -> list[str]:
        """From ``frame`` up to its root; a loop ends where it closes."""
        chain = {frame: None}
        while (track := self._tracks.get(next(reversed(chain)))) is not None and track.parent not in chain:
            chain[track.parent] = None
        return list(chain)

    def _ways(self, target: str, source: str) -> tuple[list[str], list[str]]:
        """The frames from source and from target up to the first that both hang below, without it."""
        up, down = self._chain(source), self._chain(target)
        common = target if target in up else next((frame for frame in up if frame in down), None)
        if common is None:
            raise UnknownFrame(target, source, self.frames)
        return up[: up.index(common)], down[: down.index(common)]

    def _along(self, frames: list[str], time: float) -> NDArray[np.float64]:
        """Of the first of these frames in the parent of the last."""
        T = np.eye(4)
        for frame in frames:
            T = self._tracks[frame].at(time) @ T
        return T


def _between(before: Pose, after: Pose, share: float) -> Pose:
    position = (1.0 - share) * np.array(before.position) + share * np.array(after.position)
    q = quaternion_slerp(_wxyz(before), _wxyz(after), share, shortest_path=True)
    return Pose(
        (float(position[0]), float(position[1]), float(position[2])),
        (q[1], q[2], q[3], q[0]),
    )


def _wxyz(pose: Pose) -> NDArray[np.float64]:
    x, y, z, w = pose.orientation
    return np.array([w, x, y, z])
