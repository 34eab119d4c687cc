"""A home written as the files a scene is made of: scene, map, and what is hidden where."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import yaml

from openral_core.documents import Document
from openral_sim.homes.hiding import whereabouts
from openral_sim.scenes import Scene


def write_home(scene: Scene, folder: Path) -> Path:
    """Write ``deploy/<name>.yaml``, ``maps/<name>.yaml`` and ``whereabouts/<name>.yaml`` below a folder.

    Returns:
        The scene's file.
    """
    name = scene.document.name
    files = {
        "deploy": _lines(_plain(scene.document)),
        "maps": _lines(_plain(scene.home)),
        "whereabouts": _lines({"things": [asdict(each) for each in whereabouts(scene)]}),
    }
    for kind, lines in files.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{name}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "deploy" / f"{name}.yaml"


def _plain(document: Document) -> dict[str, object]:
    content: dict[str, object] = document.model_dump(mode="json", exclude_defaults=True)
    return content


def _lines(content: dict[str, object]) -> Iterator[str]:
    """Every key of the top on lines of its own, every entry below it on one line."""
    for key, value in content.items():
        if isinstance(value, list) and value:
            yield f"\n{key}:"
            yield from (f"  - {_flow(entry)}" for entry in value)
        elif isinstance(value, dict) and any(isinstance(entry, dict) for entry in value.values()):
            yield f"\n{key}:"
            yield from (f"  {name}: {_flow(entry)}" for name, entry in value.items())
        else:
            yield f"{key}: {_flow(value)}"


def _flow(value: object) -> str:
    """A value on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), sort_keys=False)
    return text.removesuffix("\n...\n").strip()
