"""The home that a robot found: rooms from the floor, furniture from detections."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Array, Points, Vector3
from openral_core.detectors import Detection
from openral_core.floor_map import FloorMap
from openral_core.home_map import HomeMap
from openral_mapping.floor.depth_mapper import DepthMapper
from openral_mapping.furniture.kinds import kind_of
from openral_mapping.furniture.pieces import MappedPiece, mapped_furniture, with_furniture
from openral_mapping.furniture.tracks import FurnitureMapper
from openral_mapping.furniture.view import FurnitureBox, FurnitureView
from openral_mapping.home.from_floor import NoRooms, home_from_floor
from openral_mapping.home.room_names import with_names
from openral_world_state.depth_camera import DepthView
from openral_world_state.people import PERSON


def furniture_view(view: DepthView, rays: Array, detections: Sequence[Detection]) -> FurnitureView:
    """Select the furniture among the detections of an image.

    Args:
        view: Its depth.
        rays: Of the depth pixels, as `Intrinsics.image_rays` gives them, shape (H, W, 3).
        detections: Of the colour image; their boxes are scaled to the depth image.
    """
    sx, sy = view.depth_scale
    boxes = [
        FurnitureBox(
            detection.label,
            detection.score,
            (
                detection.box.x_min * sx,
                detection.box.y_min * sy,
                detection.box.x_max * sx,
                detection.box.y_max * sy,
            ),
        )
        for detection in detections
        if kind_of(detection.label)
    ]
    return FurnitureView(view.depth, rays, view.depth_intrinsics.project, view.T_map_camera, boxes)


def people_in_view(view: DepthView, rays: Array, detections: Sequence[Detection]) -> Points:
    """Return the positions in map of the people that are detected in an image [m], shape (N, 2).

    Args:
        view: Its depth.
        rays: Of the depth pixels, as `Intrinsics.image_rays` gives them, shape (H, W, 3).
        detections: Of the colour image; people without depth are left out.
    """
    sx, sy = view.depth_scale
    positions = list[Vector3]()
    for box in (each.box for each in detections if each.label == PERSON):
        quarter = (box.x_max - box.x_min) / 4.0
        columns = slice(max(0, int((box.x_min + quarter) * sx)), int((box.x_max - quarter) * sx) + 1)
        rows = slice(max(0, int(box.y_min * sy)), int(box.y_max * sy) + 1)
        depth, ray = view.depth[rows, columns], rays[rows, columns]
        has_depth = np.isfinite(depth) & (depth > 0.0) & np.isfinite(ray).all(axis=-1)
        if has_depth.any():
            at = np.median(ray[has_depth] * depth[has_depth][:, None], axis=0)
            positions.append((view.T_map_camera[:3, :3] @ at + view.T_map_camera[:3, 3])[:2])
    return np.array(positions, float).reshape(-1, 2)


@dataclass(frozen=True)
class HomeSnapshot:
    """Floor, tall obstacles and furniture at one moment, of which a home is built."""

    floor: FloorMap
    walls: FloorMap
    pieces: Sequence[MappedPiece]

    @classmethod
    def of(cls, mapper: DepthMapper, furniture: FurnitureMapper) -> "HomeSnapshot":
        """Take what two mappers have now."""
        floor = mapper.floor_map()
        return cls(floor, mapper.wall_map(), mapped_furniture(furniture.tracks, floor))

    def build(self, earlier: HomeMap | None) -> HomeMap | None:
        """Build the home; rooms keep the ids of a known one, and doorways stay while they are shut.

        None without any room.
        """
        before = (
            None
            if earlier is None
            else HomeMap(name=earlier.name, rooms=earlier.rooms, doorways=earlier.doorways)
        )
        try:
            home = home_from_floor(self.floor, "perceived", before, self.walls)
        except NoRooms:
            return None
        return with_names(with_furniture(home, self.pieces, self.floor))
