"""File of a furniture mapper: its pieces with their voxels, and the home that was built of them."""

import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from openral_core.home_map import HomeMap
from openral_core.parsing import parse_json
from openral_mapping.floor.depth_mapper import InvalidMapFile
from openral_mapping.furniture.tracks import FurnitureMapper, FurnitureTrack
from openral_mapping.furniture.view import CONFIG, FurnitureConfig
from openral_mapping.furniture.voxels import SIDE, PieceVoxels, SeenVoxels

FORMAT = 1
"""Version of the file [1]."""
_FACTS = ("id", "born", "evidence", "kinds", "views", "last")
_COLUMNS = ("keys", "pixels", "sums", "upward", "heights", "within", "beside")


def furniture_path(map_path: Path) -> Path:
    """Path of the furniture's file beside that of the floor."""
    return map_path.with_name(f"{map_path.stem}.furniture.npz")


def save_furniture(path: Path, mapper: FurnitureMapper, home: HomeMap | None) -> None:
    """Write pieces and home; a crash leaves the file that was there.

    Raises:
        OSError: If the disk refuses.
    """
    tracks = mapper.every_track
    voxels = [track.voxels for track in tracks] or [PieceVoxels()]
    totals = [each.totals for each in voxels]
    facts = [{name: getattr(track, name) for name in _FACTS} for track in tracks]
    temporary = path.with_name(f".{path.name}.tmp.npz")
    np.savez_compressed(
        temporary,
        format=FORMAT,
        tracks=json.dumps(facts),
        numbers=json.dumps(dict(mapper.numbers)),
        images=mapper.images,
        home="" if home is None else home.model_dump_json(),
        voxel=SIDE,
        sizes=np.array([len(track.voxels) for track in tracks], np.int64),
        towards=np.array([track.towards for track in tracks]).reshape(-1, 2),
        keys=np.concatenate([each.keys for each in totals]),
        pixels=np.concatenate([each.pixels for each in totals]),
        sums=np.concatenate([each.sums for each in totals]),
        upward=np.concatenate([each.upward for each in totals]),
        heights=np.concatenate([each.heights for each in totals]),
        within=np.concatenate([each.within for each in voxels]),
        beside=np.concatenate([each.beside for each in voxels]),
    )
    temporary.replace(path)


def load_furniture(path: Path, config: FurnitureConfig = CONFIG) -> tuple[FurnitureMapper, HomeMap | None]:
    """Read pieces and home.

    Raises:
        InvalidMapFile: If the file cannot be read, or was written with voxels of another size.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        if int(arrays["format"]) != FORMAT or float(arrays["voxel"]) != SIDE:
            raise InvalidMapFile(path, "its format or the size of its voxels is another")
        ends = np.cumsum(arrays["sizes"])[:-1]
        parts = {name: np.split(arrays[name], ends) for name in _COLUMNS}
        facts: Any = parse_json(str(arrays["tracks"]))
        tracks = [
            FurnitureTrack(
                **{name: fact[name] for name in _FACTS},
                voxels=_voxels({name: parts[name][index] for name in _COLUMNS}),
                towards=arrays["towards"][index],
            )
            for index, fact in enumerate(facts)
        ]
        home = str(arrays["home"])
        numbers: Any = parse_json(str(arrays["numbers"]))
        mapper = FurnitureMapper(config, tracks, int(arrays["images"]), numbers)
        return mapper, HomeMap.model_validate_json(home) if home else None
    except (OSError, KeyError, IndexError, TypeError, ValueError, EOFError, BadZipFile) as error:
        raise InvalidMapFile(path, f"it cannot be read ({error})") from error


def _voxels(columns: dict[str, NDArray[np.generic]]) -> PieceVoxels:
    *totals, within, beside = (columns[name] for name in _COLUMNS)
    return PieceVoxels(SeenVoxels(*totals), within, beside)  # type: ignore[arg-type]
