"""The home that a robot found: rooms from the floor, furniture from detections."""

from collections.abc import Sequence
from dataclasses import dataclass

from openral_core.home_map import HomeMap
from openral_mapping.depth_mapper import DepthMapper
from openral_mapping.floor_map import FloorMap
from openral_mapping.furniture import MappedPiece, mapped_furniture, with_furniture
from openral_mapping.furniture_tracks import FurnitureMapper
from openral_mapping.home_from_floor import NoRooms, home_from_floor
from openral_mapping.room_names import with_names


@dataclass(frozen=True)
class SeenHome:
    """Floor, tall obstacles and furniture at one moment, of which a home is built."""

    floor: FloorMap
    walls: FloorMap
    pieces: Sequence[MappedPiece]

    @classmethod
    def of(cls, mapper: DepthMapper, furniture: FurnitureMapper) -> "SeenHome":
        """Take what two mappers have now."""
        floor = mapper.floor_map()
        return cls(floor, mapper.wall_map(), mapped_furniture(furniture.tracks, floor))

    def build(self, known: HomeMap | None) -> HomeMap | None:
        """Build the home; rooms keep the ids of a known one. None without any room."""
        before = None if known is None else HomeMap(name=known.name, rooms=known.rooms)
        try:
            home = home_from_floor(self.floor, "perceived", before, self.walls)
        except NoRooms:
            return None
        return with_names(with_furniture(home, self.pieces, self.floor))
