"""The picture of a map."""

from pathlib import Path

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.home_map import Fixture, HomeMap, NoGoZone, Pose2, Room
from openral_training.maps.picture import MAX_SIDE, PictureNotWritten, draw_home, write_picture

ROOM = Room(id="a", name="a", polygon=((0, 0), (4, 0), (4, 2), (0, 2)))
HOME = HomeMap(name="home", rooms=(ROOM,))


def colour_at(image: np.ndarray, x: float, y: float) -> list[int]:
    """Colour at a map point of HOME: 80 px/m, 0.5 m margin."""
    return image[round(image.shape[0] - (y + 0.5) * 80), round((x + 0.5) * 80)].tolist()


def test_furniture_and_zones_are_drawn_where_they_are() -> None:
    pose = Pose2(x=1.0, y=1.5)
    sofa = Fixture(id="s", kind="s", name="s", room="a", pose=pose, depth=0.6, width=0.6, height=1)
    zone = NoGoZone(id="z", name="z", polygon=((3, 0.2), (3.8, 0.2), (3.8, 0.6)))
    plain, full = (
        draw_home(HOME),
        draw_home(HOME.model_copy(update={"fixtures": (sofa,), "no_go_zones": (zone,)})),
    )
    assert colour_at(full, 0.8, 1.7) != colour_at(plain, 0.8, 1.7)
    assert colour_at(full, 3.4, 0.2) != colour_at(plain, 3.4, 0.2)
    assert colour_at(full, 0.5, 0.3) == colour_at(plain, 0.5, 0.3)


def test_occupied_cells_are_darker_than_free_ones() -> None:
    cells = np.full((20, 40), FREE, np.int8)
    cells[:, 30:] = OCCUPIED
    image = draw_home(HOME, FloorMap(cells, 0.1))
    assert sum(colour_at(image, 3.7, 0.3)) < sum(colour_at(image, 0.5, 0.3)) - 200


def test_a_large_home_is_drawn_smaller() -> None:
    large = ROOM.model_copy(update={"polygon": ((0, 0), (900, 0), (900, 10), (0, 10))})
    assert max(draw_home(HOME.model_copy(update={"rooms": (large,)})).shape) <= MAX_SIDE


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    write_picture(draw_home(HOME), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(PictureNotWritten, match="absent"):
        write_picture(draw_home(HOME), tmp_path / "absent" / "map.png")
