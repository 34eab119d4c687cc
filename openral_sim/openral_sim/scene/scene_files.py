"""Scenes as files: found by name, and written."""

import re
from dataclasses import asdict
from importlib.metadata import entry_points
from pathlib import Path

from openral_core.documents import yaml_of, yaml_text
from openral_core.errors import OpenRALError, format_choices
from openral_sim.scene.object_locations import object_locations
from openral_sim.scene.scene import Scene, load_scene

GROUP = "openral.scenes"
"""Group of entry points; `generated` samples a home from its seed and its number of rooms, None for any."""
_GENERATED = re.compile(r"generated:(\d+)(?::(\d+))?")


def write_home(scene: Scene, folder: Path) -> Path:
    """Write ``deploy/<name>.yaml``, ``maps/<name>.yaml`` and ``whereabouts/<name>.yaml`` below a folder.

    Returns:
        Path of the scene's file.
    """
    name = scene.document.name
    files = {
        "deploy": yaml_of(scene.document),
        "maps": yaml_of(scene.home),
        "whereabouts": yaml_text({"things": [asdict(location) for location in object_locations(scene)]}),
    }
    for kind, text in files.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / "deploy" / f"{name}.yaml"


class UnknownScene(OpenRALError):
    """A name that is neither a file, nor a shipped scene, nor a seed."""

    def __init__(self, name: str, shipped: list[str]) -> None:
        choices = format_choices(shipped)
        super().__init__(f"unknown scene {name!r}: give a file, one of {choices}, or generated:SEED[:ROOMS]")


class NoGenerator(OpenRALError):
    """A home that is to be sampled, in an environment without what samples it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"scene {name!r} needs the package openral_training, which is not in this environment: "
            "run `make build`"
        )


def find_scene(name: str, folder: Path) -> Scene:
    """Load or sample the scene of a name.

    Args:
        name: A YAML file, the name of one in ``folder``/deploy, or ``generated:SEED[:ROOMS]``.
        folder: Folder of the shipped scenes.

    Raises:
        UnknownScene: If the name is none of these.
        InvalidDocument: If the file is invalid.
        NoGenerator: If nothing that samples homes is installed.
        OpenRALError: If the seed gives no valid home.
    """
    if generated := _GENERATED.fullmatch(name):
        for entry in entry_points(group=GROUP, name="generated"):
            scene: Scene = entry.load()(int(generated[1]), int(generated[2]) if generated[2] else None)
            return scene
        raise NoGenerator(name)
    shipped = shipped_scenes(folder)
    path = shipped.get(name, Path(name))
    if not path.is_file():
        raise UnknownScene(name, list(shipped))
    return load_scene(path)


def shipped_scenes(folder: Path) -> dict[str, Path]:
    """Return the scenes of a folder by name."""
    return {file.stem: file for file in sorted((folder / "deploy").glob("*.yaml"))}
