"""Poses, rigid transforms and a time-indexed tree of them; ``T_map_camera`` takes camera coordinates to map.

SI units, quaternions as (x, y, z, w). The tree treats invalid input as tf2 does. Rotations are converted
here, because SciPy would take 16 MB of every node.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openral_core.arrays import Array, Mask, Points, Transform
from openral_core.errors import OpenRALError, format_choices

Quaternion = tuple[float, float, float, float]
"""Components (x, y, z, w)."""
MIN_SINE = 1e-9
"""Sine of the angle between quaternions below which the way between them is straight [1]."""


class InvalidGeometry(OpenRALError):
    """Numbers that do not describe a pose."""

    def __init__(self, what: str, value: object, expected: str) -> None:
        super().__init__(f"{what} {value!r} is not valid: expected {expected}")


@dataclass(frozen=True, slots=True)
class Pose:
    """Position [m] and unit quaternion (x, y, z, w) in some parent frame.

    Raises:
        InvalidGeometry: If a number is not finite or the quaternion has no direction.
    """

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        if len(self.position) != 3 or not all(map(math.isfinite, self.position)):
            raise InvalidGeometry("position", self.position, "three finite numbers [m]")
        norm = math.sqrt(sum(q * q for q in self.orientation))
        if len(self.orientation) != 4 or not math.isfinite(norm) or norm < 1e-6:
            raise InvalidGeometry("orientation", self.orientation, "a quaternion (x, y, z, w) of length 1")
        if abs(norm - 1.0) > 1e-9:
            x, y, z, w = (q / norm for q in self.orientation)
            object.__setattr__(self, "orientation", (x, y, z, w))

    @classmethod
    def planar(cls, x: float, y: float, yaw: float, z: float = 0.0) -> "Pose":
        """Create a pose on the floor, rotated by ``yaw`` [rad] about z."""
        return cls((x, y, z), (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)))

    @classmethod
    def from_matrix(cls, T: NDArray[np.floating]) -> "Pose":
        """Create a pose from a homogeneous transform, shape (4, 4)."""
        if T.shape != (4, 4) or not np.isfinite(T).all():
            raise InvalidGeometry("transform", T.tolist(), "a finite 4x4 matrix")
        return cls((float(T[0, 3]), float(T[1, 3]), float(T[2, 3])), quaternion_of(T[:3, :3].tolist()))

    def matrix(self) -> Transform:
        """Return the homogeneous transform, shape (4, 4)."""
        x, y, z, w = self.orientation
        X, Y, Z = self.position
        return np.array(
            [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w), X],
                [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w), Y],
                [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y), Z],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    @property
    def yaw(self) -> float:
        """Rotation about the parent's z axis [rad]."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))

    def distance(self, other: "Pose") -> float:
        """Distance between the positions [m]."""
        return math.dist(self.position, other.position)


def quaternion_of(R: Sequence[Sequence[float]]) -> Quaternion:
    """Return the unit quaternion of a rotation matrix, shape (3, 3).

    Source: S. W. Shepperd, Quaternion from rotation matrix, 1978: divide by the largest component.
    """
    trace = R[0][0] + R[1][1] + R[2][2]
    i = max(range(3), key=lambda axis: R[axis][axis])
    if trace >= R[i][i]:
        q = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1], 1.0 + trace]
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [0.0, 0.0, 0.0, R[k][j] - R[j][k]]
        q[i], q[j], q[k] = 1.0 - trace + 2.0 * R[i][i], R[j][i] + R[i][j], R[k][i] + R[i][k]
    norm = math.sqrt(sum(component * component for component in q))
    return (q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm)


def inverse(T: Transform) -> Transform:
    """Return the inverse of a rigid transform, shape (4, 4)."""
    R = T[:3, :3].T
    result = np.eye(4)
    result[:3, :3] = R
    result[:3, 3] = -R @ T[:3, 3]
    return result


def transform_points(T: Transform, points: Points) -> Points:
    """Transform points (N, 3) [m] into the parent frame of ``T``, shape (N, 3)."""
    return points @ T[:3, :3].T + T[:3, 3]


def transform_planar_points(T: Transform, points: ArrayLike) -> Array:
    """Transform points (..., 2) [m] of the plane by the planar part of ``T``, shape (..., 2)."""
    return np.asarray(points) @ T[:2, :2].T + T[:2, 3]


def yaw_matrix(x: float, y: float, yaw: float) -> Transform:
    """Return a planar pose as a homogeneous transform, shape (4, 4)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def planar_part(T: Transform) -> tuple[float, float, float]:
    """Return x, y [m] and yaw [rad] of a pose, shape (4, 4): the inverse of `yaw_matrix`."""
    return float(T[0, 3]), float(T[1, 3]), float(np.arctan2(T[1, 0], T[0, 0]))


def points_in_polygon(outline: Points, points: Array) -> Mask:
    """Tell which points (..., 2) are inside a polygon (N, 2), by the even-odd rule."""
    inside = np.zeros(points.shape[:-1], dtype=bool)
    x, y = points[..., 0], points[..., 1]
    for (x1, y1), (x2, y2) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


def wrap_angle(angle: float) -> float:
    """Return the same angle in [-pi, pi) [rad]."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def angle_between(first: float, second: float) -> float:
    """Unsigned difference of two angles in [0, pi] [rad]."""
    return abs(wrap_angle(first - second))


def frame_name(name: str) -> str:
    """Return the name of a frame as tf2 keeps it: without the leading slash of ROS 1."""
    return name.removeprefix("/")


class UnknownFrame(OpenRALError):
    """Two frames that are not connected."""

    def __init__(self, target: str, source: str, frames: list[str]) -> None:
        super().__init__(
            f"no transform from {source!r} to {target!r}: known frames are {format_choices(frames)}"
        )


class StaleTransform(OpenRALError):
    """A time that the buffered transforms do not cover."""

    def __init__(self, frame: str, time: float, first: float, last: float) -> None:
        super().__init__(
            f"no transform of {frame!r} at {time:.3f} s: the buffer covers {first:.3f} s to {last:.3f} s"
        )


class InvalidTransform(OpenRALError):
    """A transform that cannot be part of a tree."""

    def __init__(self, parent: str, child: str, problem: object) -> None:
        super().__init__(f"transform from {parent!r} to {child!r} is ignored: {problem}")


MOST_FRAMES = 2_000
"""Maximum number of frames; bounds memory against a publisher that keeps inventing names."""
LONGEST_FRAME = 1_000
"""Longest name of a frame [characters]; bounds memory, because unknown frames are kept."""


class _Track:
    """Poses of one frame in its parent over time; a static transform has no times."""

    def __init__(self, frame: str, parent: str, history: float) -> None:
        self.frame, self.parent, self._history = frame, parent, history
        self._times: deque[float] = deque()
        self._poses: deque[Pose] = deque()
        self.static: Transform | None = None

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

    def at(self, time: float) -> Transform:
        if self.static is not None:
            return self.static
        if not self._times[0] <= time <= self._times[-1]:
            raise StaleTransform(self.frame, time, self._times[0], self._times[-1])
        after = bisect_left(self._times, time)
        if self._times[after] == time:
            return self._poses[after].matrix()
        fraction = (time - self._times[after - 1]) / (self._times[after] - self._times[after - 1])
        return interpolate(self._poses[after - 1], self._poses[after], fraction).matrix()


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
        parent, child = frame_name(parent), frame_name(child)
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
        self._new_track(frame_name(parent), frame_name(child)).static = pose.matrix()

    def forget_moving(self) -> None:
        """Drop the moving transforms after a jump back in time; static ones stay."""
        self._tracks = {child: track for child, track in self._tracks.items() if track.static is not None}

    def lookup(self, target: str, source: str, time: float) -> Transform:
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
        if max(len(parent), len(child)) > LONGEST_FRAME:
            why = f"names of frames have at most {LONGEST_FRAME} characters"
            raise InvalidTransform(parent[:LONGEST_FRAME], child[:LONGEST_FRAME], why)
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
        target, source = frame_name(target), frame_name(source)
        up, down = self._chain(source), self._chain(target)
        common = target if target in up else next((frame for frame in up if frame in down), None)
        if common is None:
            raise UnknownFrame(target, source, self.frames)
        return up[: up.index(common)], down[: down.index(common)]

    def _compose(self, frames: list[str], time: float) -> Transform:
        """Transform from the first of these frames to the parent of the last."""
        T = np.eye(4)
        for frame in frames:
            T = self._tracks[frame].at(time) @ T
        return T


def interpolate(before: Pose, after: Pose, fraction: float) -> Pose:
    """Return the pose at a fraction of the way, by linear and spherical interpolation."""
    here, there = 1.0 - fraction, fraction
    x, y, z = (here * a + there * b for a, b in zip(before.position, after.position, strict=True))
    return Pose((x, y, z), slerp(before.orientation, after.orientation, fraction))


def slerp(before: Quaternion, after: Quaternion, fraction: float) -> Quaternion:
    """Return the quaternion at a fraction of the shorter way.

    Source: K. Shoemake, Animating rotation with quaternion curves, 1985.
    """
    cosine = sum(a * b for a, b in zip(before, after, strict=True))
    side = math.copysign(1.0, cosine)
    angle = math.acos(min(abs(cosine), 1.0))
    sine = math.sin(angle)
    if sine < MIN_SINE:
        here, there = 1.0 - fraction, side * fraction
    else:
        here = math.sin((1.0 - fraction) * angle) / sine
        there = side * math.sin(fraction * angle) / sine
    x, y, z, w = (here * a + there * b for a, b in zip(before, after, strict=True))
    return (x, y, z, w)
