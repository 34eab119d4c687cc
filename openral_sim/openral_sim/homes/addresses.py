"""Scenes by name: a file, one in a folder of scenes, or one drawn from a seed."""

import re
from pathlib import Path

from openral_core.errors import OpenRALError, listed
from openral_sim.homes.drawing import draw_home
from openral_sim.scenes import Scene, load_scene

_GENERATED = re.compile(r"generated:(\d+)(?::(\d+))?")


class UnknownScene(OpenRALError):
    """A scene that is no file, no shipped one and no seed."""

    def __init__(self, asked: str, shipped: list[str]) -> None:
        super().__init__(
            f"no scene {asked!r}: give a file, one of {listed(shipped)}, or generated:SEED[:ROOMS]"
        )


def is_generated(asked: str) -> bool:
    """Whether a name asks for a drawn home: ``generated:SEED`` or ``generated:SEED:ROOMS``."""
    return _GENERATED.fullmatch(asked) is not None


def find_scene(asked: str, folder: Path) -> Scene:
    """The scene of a name.

    Args:
        asked: A YAML file, the name of one in ``folder``/deploy, or ``generated:SEED[:ROOMS]``.
        folder: Where shipped scenes lie.

    Raises:
        UnknownScene: Listing the shipped ones.
        InvalidDocument: If the file is wrong.
        NoHomeFound: If the seed gives no home.
    """
    if drawn := _GENERATED.fullmatch(asked):
        return draw_home(int(drawn[1]), int(drawn[2]) if drawn[2] else None)
    shipped = shipped_scenes(folder)
    path = shipped.get(asked, Path(asked))
    if not path.is_file():
        raise UnknownScene(asked, list(shipped))
    return load_scene(path)


def shipped_scenes(folder: Path) -> dict[str, Path]:
    """The scenes of a folder by name."""
    return {file.stem: file for file in sorted((folder / "deploy").glob("*.yaml"))}
