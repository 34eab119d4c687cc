"""Time-indexed transform tree.

Invalid input is treated as tf2 treats it.
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
    """Two frames that are not connected."""

    def __init__(self, target: str, source: str, known: list[str]) -> None:
        super().__init__(
            f"no transform from {source!r} to {target!r}: known frames are {format_choices(known)}"
        )


class StaleTransform(OpenRALError):
    """A time that the buffered transforms do not cover."""

    def __init__(self, frame: str, asked: float, first: float, last: float) -> None:
        super().__init__(
            f"no transform of {frame!r} at {asked:.3f} s: the buffer covers {first:.3f} s to {last:.3f} s"
        )


class InvalidTransform(OpenRALError):
    """A transform that cannot be part of a tree."""

    def __init__(self, parent: str, child: str, problem: object) -> None:
        super().__init__(f"transform from {parent!r} to {child!r} is ignored: {problem}")


MOST_FRAMES = 2_000
"""Maximum number of frames; bounds memory against a publisher that keeps inventing names."""


class _Track:
    """Poses of one frame in its parent over time; a static transform has no times."""

    def __init__(self, frame: str, parent: str, history: float) -> None:
        self.frame, self.parent, self._history = frame, parent, history
        self._times: deque[float] = deque()
        self._poses: deque[Pose] = deque()
        self.static: NDArray[np.float64] | None = None

    def add(self, time: float, pose: Pose) -> None:
        """Insert a pose in time order; one older than the whole history restarts the track."""
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
        """Time of the last pose [s]; infinite for a static transform."""
        return math.inf if self.static is not None else self._times[-1]

    def at(self, time: float) -> NDArray[np.float64]:
        if self.static is not None:
            return self.static
        if not self._times[0] <= time <= self._times[-1]:
            raise StaleTransform(self.frame, time, self._times[0], self._times[-1])
        after = bisect_left(self._times, time)
        if self._times[after] == time:
            return self._poses[after].matrix()
        fraction = (time - self._times[after - 1]) / (self._times[after] - self._times[after - 1])
        return _interpolate(self._poses[after - 1], self._poses[after], fraction).matrix()


class TfTree:
    """Transforms by child frame, interpolated between stamps and never extrapolated.

    Args:
        history: Time for which moving transforms are kept [s].
    """

    def __init__(self, history: float = 10.0) -> None:
        self._history = history
        self._tracks: dict[str, _Track] = {}

    def add(self, parent: str, child: str, pose: Pose, time: float) -> None:
        """Add a moving transform: the pose of ``child`` in ``parent`` at ``time`` [s].

        Raises:
            InvalidTransform: If a frame is unnamed or is its own parent.
        """
        track = self._tracks.get(child)
        if track is None or track.parent != parent or track.static is not None:
            track = self._new_track(parent, child)
        self._tracks[child] = self._tracks.pop(child)  # order of the latest update
        track.add(time, pose)

    def newest(self, target: str, source: str) -> float:
        """Latest time [s] at which every transform between the frames is known; infinite if all are static.

        Raises:
            UnknownFrame: If the frames are not connected.
        """
        up, down = self._paths_to_common(target, source)
        return min((self._tracks[frame].newest for frame in (*up, *down)), default=math.inf)

    def add_static(self, parent: str, child: str, pose: Pose) -> None:
        """Add a transform valid at every time, until a moving one of the same child replaces it.

        Raises:
            InvalidTransform: As in `add`.
        """
        self._new_track(parent, child).static = pose.matrix()

    def forget_moving(self) -> None:
        """Drop the moving transforms after a jump back in time; static ones stay."""
        self._tracks = {child: track for child, track in self._tracks.items() if track.static is not None}

    def lookup(self, target: str, source: str, time: float) -> NDArray[np.float64]:
        """Return ``T_target_source`` at ``time`` [s], shape (4, 4), through the nearest common ancestor.

        Raises:
            UnknownFrame: If the frames are not connected.
            StaleTransform: If a transform between them is not known at that time.
        """
        up, down = self._paths_to_common(target, source)
        return inverse(self._compose(down, time)) @ self._compose(up, time)

    @property
    def frames(self) -> list[str]:
        """Every known frame, sorted."""
        return sorted({name for track in self._tracks.values() for name in (track.frame, track.parent)})

    def _new_track(self, parent: str, child: str) -> _Track:
        """Start an empty track in place of the one ``child`` had."""
        if not child or not parent or child == parent:
            raise InvalidTransform(parent, child, "parent and child must be two named frames")
        if child not in self._tracks and len(self._tracks) >= MOST_FRAMES:
            self._evict_one()
        track = self._tracks[child] = _Track(child, parent, self._history)
        return track

    def _evict_one(self) -> None:
        """Drop the least recently updated moving frame, or the oldest static one if none moves."""
        moving = (name for name, track in self._tracks.items() if track.static is None)
        del self._tracks[next(moving, next(iter(self._tracks)))]

    def _chain(self, frame: str) -> list[str]:
        """List the frames from ``frame`` up to its root; a loop ends where it closes."""
        chain = {frame: None}
        while (track := self._tracks.get(next(reversed(chain)))) is not None and track.parent not in chain:
            chain[track.parent] = None
        return list(chain)

    def _paths_to_common(self, target: str, source: str) -> tuple[list[str], list[str]]:
        """List the frames from source and from target up to their nearest common ancestor, exclusive."""
        up, down = self._chain(source), self._chain(target)
        common = target if target in up else next((frame for frame in up if frame in down), None)
        if common is None:
            raise UnknownFrame(target, source, self.frames)
        return up[: up.index(common)], down[: down.index(common)]

    def _compose(self, frames: list[str], time: float) -> NDArray[np.float64]:
        """Transform from the first of these frames to the parent of the last."""
        T = np.eye(4)
        for frame in frames:
            T = self._tracks[frame].at(time) @ T
        return T


def _interpolate(before: Pose, after: Pose, fraction: float) -> Pose:
    position = (1.0 - fraction) * np.array(before.position) + fraction * np.array(after.position)
    q = quaternion_slerp(_wxyz(before), _wxyz(after), fraction, shortest_path=True)
    return Pose(
        (float(position[0]), float(position[1]), float(position[2])),
        (q[1], q[2], q[3], q[0]),
    )


def _wxyz(pose: Pose) -> NDArray[np.float64]:
    x, y, z, w = pose.orientation
    return np.array([w, x, y, z])
