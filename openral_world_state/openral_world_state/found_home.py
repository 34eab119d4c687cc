"""The home that a robot found: rooms from the floor, furniture from detections."""

from openral_core.home_map import HomeMap
from openral_mapping.depth_mapper import DepthMapper
from openral_mapping.furniture import mapped_furniture, with_furniture
from openral_mapping.furniture_tracks import FurnitureMapper
from openral_mapping.home_from_floor import NoRooms, home_from_floor
from openral_mapping.room_names import with_names


def build_home(mapper: DepthMapper, furniture: FurnitureMapper, known: HomeMap | None) -> HomeMap | None:
    """Build the home from floor and furniture; rooms keep the ids of a known one. None without any room."""
    floor = mapper.floor_map()
    before = None if known is None else HomeMap(name=known.name, rooms=known.rooms)
    try:
        home = home_from_floor(floor, "perceived", before, mapper.wall_map())
    except NoRooms:
        return None
    return with_names(with_furniture(home, mapped_furniture(furniture.tracks, floor), floor))
