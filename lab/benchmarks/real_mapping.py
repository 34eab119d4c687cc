"""The mapper on real depth with poses: floor that it takes for an obstacle, poses that scan matching moves.

Frames have the format of 3DMatch: camera-intrinsics.txt, frame-N.depth.png [mm], frame-N.pose.txt. A cell is
floor if hardly anything seen in it or beside it rises above 15 cm, an obstacle if a fifth of it does.
FRAMES=folder: a sequence of 30 images a second besides the lounge, such as `data` of
andyzeng/tsdf-fusion-python.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from openral_core.arrays import Array, Array32, Mask, Points, Transform
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN
from openral_core.geometry import planar_part, yaw_matrix
from openral_mapping.floor.depth_mapper import CONFIG, DepthMapper, PixelRays
from openral_mapping.floor.scan_matching import MATCHING, ScanMatcher
from openral_testing.real_data import real_data
from openral_world_state.depth_camera import Intrinsics

Row = dict[str, str | float]
RISE, LEAST = 0.15, 8  # Height of what is no floor [m]; depths from which a cell is judged [1].
STEP = 6  # Images of the sequence to one that is used: 5 a second [1].
DRIFTS = 3  # Random odometries [1].


@dataclass(frozen=True)
class Frame:
    """A depth image [m], shape (H, W), and the pose of its optical frame above the floor, shape (4, 4)."""

    depth: Array32
    T_map_camera: Transform

    @property
    def base(self) -> Transform:
        """Pose of a base below the camera, facing as it does."""
        x, y, _ = self.T_map_camera[:3, 3]
        return yaw_matrix(float(x), float(y), float(np.arctan2(*self.T_map_camera[1::-1, 2])))


@dataclass(frozen=True)
class Sequence3D:
    """Frames of one camera, and the rays of its pixels at depth 1, shape (H, W, 3)."""

    rays: Array
    frames: tuple[Frame, ...]

    @classmethod
    def read(cls, folder: Path, step: int = 1) -> "Sequence3D":
        """Read a folder; the map's z axis is the normal of the floor, where z is 0."""
        names = sorted(folder.glob("frame-*.depth.png"))[::step]
        depths = [np.asarray(cv2.imread(str(name), cv2.IMREAD_UNCHANGED)) / 1000.0 for name in names]
        poses = [np.loadtxt(name.with_name(name.name.replace("depth.png", "pose.txt"))) for name in names]
        height, width = depths[0].shape
        rays = Intrinsics(np.loadtxt(folder / "camera-intrinsics.txt"), width, height).image_rays()
        clean = [np.where(depth < 10.0, depth, 0.0).astype(np.float32) for depth in depths]
        raw = cls(rays, tuple(map(Frame, clean, poses)))
        T = floor_transform(np.vstack([points[::8] for points in raw.points(8)]), np.mean(poses, axis=0))
        return cls(rays, tuple(Frame(each.depth, T @ each.T_map_camera) for each in raw.frames))

    def points(self, step: int = 2) -> list[Points]:
        """Points of every ``step``-th pixel of each frame, shape (N, 3) each."""
        clouds = []
        for frame in self.frames:
            local = (self.rays * frame.depth[..., None])[::step, ::step].reshape(-1, 3)
            ranges = np.linalg.norm(local, axis=1)
            local = local[(ranges > CONFIG.nearest) & (ranges < CONFIG.farthest)]
            clouds.append(local @ frame.T_map_camera[:3, :3].T + frame.T_map_camera[:3, 3])
        return clouds


def floor_transform(points: Points, mean_pose: Transform, tolerance: float = 0.02) -> Transform:
    """Return the motion of the lowest large plane to z = 0: RANSAC, with next to nothing below it."""
    rng, up, best, support = np.random.default_rng(0), -mean_pose[:3, 1], np.zeros(4), 0
    low = points[points @ up < np.percentile(points @ up, 40)]
    for _ in range(2000):
        corner, *others = low[rng.choice(len(low), 3, replace=False)]
        normal = np.cross(others[0] - corner, others[1] - corner)
        normal /= np.linalg.norm(normal) * np.sign(normal @ up) + 1e-12
        heights = (points - corner) @ normal
        inliers = int((np.abs(heights) < tolerance).sum())
        if normal @ up > 0.75 * np.linalg.norm(up) and inliers > support and (heights < -0.1).mean() < 0.005:
            best, support = np.array([*normal, normal @ corner]), inliers
    for _ in range(5):
        inner = points[np.abs(points @ best[:3] - best[3]) < tolerance]
        normal = np.linalg.svd(inner - inner.mean(axis=0), full_matrices=False)[2][2]
        normal *= np.sign(normal @ up)
        best = np.array([*normal, normal @ inner.mean(axis=0)])
    x = np.cross((0.0, 1.0, 0.0) if abs(best[1]) < 0.9 else (1.0, 0.0, 0.0), best[:3])
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3], T[2, 3] = (x, np.cross(best[:3], x), best[:3]), -best[3]
    return T


def run() -> list[Row]:
    """Return rows for the lounge and, with FRAMES, for a longer sequence."""
    lounge = Sequence3D.read(real_data(Path(__file__).parents[2]) / "rgbd_lounge")
    rows = [floor_row("lounge", lounge), matching_row("lounge", lounge, 0.0)]
    if "FRAMES" in os.environ:
        sequence = Sequence3D.read(Path(os.environ["FRAMES"]), STEP)
        rows.append(floor_row("sequence", sequence))
        rows += [matching_row("sequence", sequence, drift) for drift in (0.0, 1.0, 2.0)]
    return rows


def floor_row(name: str, sequence: Sequence3D) -> Row:
    """Compare the map of all frames with what their points together say."""
    mapper, rays = DepthMapper(), PixelRays(sequence.rays)
    for frame in sequence.frames:
        mapper.update(frame.depth, rays, frame.T_map_camera)
    first, floor, obstacles = true_cells(sequence)
    floor_map = mapper.floor_map()
    is_floor, is_obstacle = (
        np.array([floor_map.value_at(*xy) for xy in ((np.argwhere(mask) + first + 0.5) * CONFIG.resolution)])
        for mask in (floor, obstacles)
    )
    decided = is_floor != UNKNOWN
    return {
        "case": f"{name}: floor",
        "images": len(sequence.frames),
        "floor cells": int(decided.sum()),
        "occupied [%]": round(100.0 * float((is_floor[decided] == OCCUPIED).mean()), 2),
        "obstacle cells": len(is_obstacle),
        "shown as free [%]": round(100.0 * float((is_obstacle == FREE).mean()), 2),
    }


def true_cells(sequence: Sequence3D) -> tuple[NDArray[np.int64], Mask, Mask]:
    """Return first cell (x, y), floor and obstacles of the points of all frames."""
    points = np.vstack(sequence.points())
    points = points[np.abs(points[:, 2] - 0.6) < 0.9]
    cells = np.floor(points[:, :2] / CONFIG.resolution).astype(np.int64)
    first = cells.min(axis=0)
    counts, risen = np.zeros((2, *(np.ptp(cells, axis=0) + 1)))
    np.add.at(counts, tuple((cells - first).T), 1)
    np.add.at(risen, tuple((cells - first)[points[:, 2] > RISE].T), 1)
    is_risen = binary_dilation(risen > np.maximum(0.01 * counts, 0.5), np.ones((3, 3)))
    return first, (counts >= LEAST) & ~is_risen, (counts >= LEAST) & (risen >= 0.2 * counts)


def matching_row(name: str, sequence: Sequence3D, drift: float) -> Row:
    """Compare poses with and without matching; ``drift`` multiplies the errors that it expects [1]."""
    bases = [frame.base for frame in sequence.frames]
    seeds = map(np.random.default_rng, range(DRIFTS if drift else 1))
    matched, alone = np.hstack([pose_errors(sequence, odometry(bases, drift, rng)) for rng in seeds])
    return {
        "case": f"{name}: odometry {f'with drift x{drift:g}' if drift else 'right'}",
        "median [cm]": round(float(np.median(matched)), 2),
        "p95 [cm]": round(float(np.percentile(matched, 95)), 2),
        "largest [cm]": round(float(matched.max()), 2),
        "odometry: median [cm]": round(float(np.median(alone)), 2),
    }


def odometry(bases: Sequence[Transform], drift: float, rng: np.random.Generator) -> list[Transform]:
    """Return poses with the errors that the matcher expects of wheels, times ``drift``."""
    poses = [bases[0]]
    for before, after in pairwise(bases):
        x, y, turn = planar_part(np.linalg.inv(before) @ after)
        way = float(np.hypot(x, y))
        shift = rng.normal(0.0, drift * MATCHING.position_drift * way**0.5, 2)
        turn += rng.normal(0.0, drift * MATCHING.heading_drift * (abs(turn) + way) ** 0.5)
        poses.append(poses[-1] @ yaw_matrix(x + shift[0], y + shift[1], turn))
    return poses


def pose_errors(sequence: Sequence3D, poses: Sequence[Transform]) -> Array:
    """Return the errors of the base's position with and without matching [cm], shape (2, images)."""
    matcher, T_map_odom, errors = ScanMatcher(), np.eye(4), []
    for frame, pose in zip(sequence.frames, poses, strict=True):
        T_odom_camera = pose @ np.linalg.inv(frame.base) @ frame.T_map_camera
        depth = np.where(frame.depth > 0.0, frame.depth, np.float32(np.nan))
        correction = matcher.correction(depth, sequence.rays, T_map_odom @ T_odom_camera, T_map_odom @ pose)
        T_map_odom = correction @ T_map_odom
        poses_of_base = T_map_odom @ pose, pose
        errors.append([float(np.linalg.norm((each - frame.base)[:2, 3])) for each in poses_of_base])
    return 100.0 * np.array(errors).T
