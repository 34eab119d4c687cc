"""Data set on disk: images, one part file per finished home, and the COCO file of every split.

A split is a folder with ``images/NNNNNN.jpg``, ``depth/NNNNNN.png`` (16 bits, millimetres), and the labels in
``annotations.json``. ``render.json`` beside the splits has the settings. ``parts/<seed>.json`` of a split has
the labels of one home: if it exists, the home is finished, which is what resuming goes by.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

import openral_sim
from openral_core.errors import OpenRALError
from openral_core.files import read_bytes, replace_file
from openral_core.parsing import parse_json
from openral_training import data
from openral_training.data.home_renderer import RenderSettings, render_home
from openral_training.data.labels import CATEGORIES
from openral_training.data.photometry import encode_depth, encode_jpeg
from openral_training.data.splits import DataPlan

MAX_SIZE = 1_000_000_000
"""Largest annotation file that is read [bytes]."""
SETTINGS = "render.json"
ANNOTATIONS = "annotations.json"
_WITHOUT_INFLUENCE = {"cli.py", "jobs.py", "ros", "sheet.py", "simulation.py", "skills"}
"""Files and folders of the two packages that no image depends on."""
_DIGITS = 6
"""Digits of an image's file name."""


class OtherSettings(OpenRALError):
    """A data set that was begun with other settings, or by other code."""

    def __init__(self, folder: Path, before: Mapping[str, object], now: Mapping[str, object]) -> None:
        differing = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        changes = "; ".join(f"{key}: {before.get(key)} there, {now.get(key)} asked for" for key in differing)
        super().__init__(
            f"{folder} was begun with other settings ({changes}); render into another folder, or repeat the "
            "settings there to resume"
        )


class NotADataset(OpenRALError):
    """A file that is no COCO file of this kind of data set."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} is not a data set in COCO format: {problem}")


@dataclass(frozen=True)
class HomeTask:
    """One home to render."""

    folder: Path  # Folder of the split.
    seed: int  # Seed of the home.
    first_image: int  # Id of its first image.
    images: int  # Number of its images.
    without: tuple[str, ...]  # Kinds of objects that it does not have.
    settings: RenderSettings  # What is rendered.

    @property
    def part(self) -> Path:
        """File with the labels of the home, written last."""
        return self.folder / "parts" / f"{self.seed}.json"


@dataclass(frozen=True)
class Dataset:
    """A data set to be rendered."""

    folder: Path
    plan: DataPlan  # Its splits.
    names: tuple[str, ...]  # Names of the splits to render.
    settings: RenderSettings  # What is rendered of every home.

    def begin(self) -> None:
        """Create the folders, and write or compare the settings.

        Raises:
            OtherSettings: If the folder holds a data set of other settings.
            NotADataset: If its settings cannot be read.
        """
        path, now = self.folder / SETTINGS, self._settings()
        if path.exists():
            before = read_json(path)
            if before != now:
                raise OtherSettings(self.folder, before, now)
        for name in self.names:
            for part in ("images", "parts", *(("depth",) if self.settings.depth else ())):
                (self.folder / name / part).mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(now, indent=1) + "\n")

    def tasks(self) -> list[HomeTask]:
        """Return every home of the splits to render."""
        tasks = []
        for name in self.names:
            split = self.plan.splits[name]
            for index, seed in enumerate(split.seeds):
                tasks.append(
                    HomeTask(
                        self.folder / name,
                        seed,
                        index * split.images + 1,
                        split.images,
                        self.plan.without(name),
                        self.settings,
                    )
                )
        return tasks

    def finish(self, name: str) -> tuple[int, int]:
        """Write the COCO file of a split from the parts of its homes; return its images and annotations."""
        images: list[object] = []
        annotations: list[object] = []
        for task in self.tasks():
            if task.folder.name == name:
                part = read_json(task.part)
                images += _list(part, "images", task.part)
                for annotation in _list(part, "annotations", task.part):
                    annotations.append({"id": len(annotations) + 1, **annotation})
        content = {
            "info": self._info(name),
            "licenses": [{"id": 1, "name": "Apache-2.0"}],
            "images": images,
            "annotations": annotations,
            "categories": [
                {"id": each.id, "name": each.name, "supercategory": each.group}
                for each in CATEGORIES.values()
            ],
        }
        replace_file(self.folder / name / ANNOTATIONS, json.dumps(content))
        return len(images), len(annotations)

    def _settings(self) -> dict[str, object]:
        plain: dict[str, object] = json.loads(json.dumps(asdict(self.settings)))
        images = {name: split.images for name, split in self.plan.splits.items()}
        first_seeds = {name: split.first_seed for name, split in self.plan.splits.items()}
        return {
            **plain,
            "images": images,
            "first_seeds": first_seeds,
            "held_out": list(self.plan.held_out),
            **code_version(),
        }

    def _info(self, name: str) -> dict[str, object]:
        seeds = self.plan.splits[name].seeds
        return {
            "description": f"Homes drawn from seeds, split {name}",
            "split": name,
            "seeds": [seeds.start, seeds.stop - 1],
            "without": list(self.plan.without(name)),
            **self._settings(),
        }


@cache
def code_version() -> dict[str, object]:
    """Return the versions that the bytes of an image depend on, as they were when first asked for."""
    digest = hashlib.sha256()
    for package in (data, openral_sim):
        root = Path(str(package.__file__)).parent
        for file in sorted(path for path in root.rglob("*") if path.suffix in (".py", ".yaml")):
            name = file.relative_to(root)
            if name.parts[0] not in _WITHOUT_INFLUENCE:
                digest.update(str(name).encode() + b"\0" + file.read_bytes())
    return {"code": digest.hexdigest()[:16], "mujoco": version("mujoco-core")}


def render_task(task: HomeTask) -> int:
    """Render one home and return the number of its images; a finished home is left as it is."""
    if not task.part.exists():
        write_files(task, render_files(task))
    return count_images(task)


def render_files(task: HomeTask) -> dict[str, bytes]:
    """Render one home; return its files by their names in the folder of the split, the part file last."""
    # llvmpipe's threads would compete with the other processes; the pixels are the same with any number.
    os.environ.setdefault("LP_NUM_THREADS", "1")
    contents = dict[str, bytes]()
    images, annotations = list[object](), list[object]()
    rendered = render_home(task.seed, task.images, task.without, task.settings)
    for number, image in enumerate(rendered, start=task.first_image):
        record: dict[str, object] = {"id": number, "home": task.seed, "license": 1}
        record["file_name"] = f"images/{number:0{_DIGITS}d}.jpg"
        jpeg = encode_jpeg(image.rgb, np.random.default_rng([task.seed, number]))
        contents[f"images/{number:0{_DIGITS}d}.jpg"] = jpeg
        if image.depth is not None:
            record["depth_file_name"] = f"depth/{number:0{_DIGITS}d}.png"
            contents[f"depth/{number:0{_DIGITS}d}.png"] = encode_depth(image.depth)
        images.append({**record, **image.record()})
        annotations += [each.record(number) for each in image.annotations]
    part = json.dumps({"images": images, "annotations": annotations})
    return {**contents, str(task.part.relative_to(task.folder)): part.encode()}


def write_files(task: HomeTask, contents: Mapping[str, bytes]) -> None:
    """Write the files of a home; its part file comes last, in one step."""
    for name, content in contents.items():
        if task.folder / name != task.part:
            (task.folder / name).write_bytes(content)
    replace_file(task.part, contents[str(task.part.relative_to(task.folder))].decode())


def count_images(task: HomeTask) -> int:
    """Return the number of images of a finished home."""
    return len(_list(read_json(task.part), "images", task.part))


def read_json(path: Path) -> dict[str, object]:
    """Read a JSON object.

    Raises:
        NotADataset: If the file is missing or is no JSON object.
    """
    try:
        content = parse_json(read_bytes(path, MAX_SIZE), MAX_SIZE)
    except (OSError, ValueError) as error:
        raise NotADataset(path, str(error)) from error
    if not isinstance(content, dict):
        raise NotADataset(path, f"expected an object, found {type(content).__name__}")
    return content


def _list(content: Mapping[str, object], key: str, path: Path) -> list[dict[str, object]]:
    entries = content.get(key)
    if not isinstance(entries, list):
        raise NotADataset(path, f"'{key}' is not a list")
    return entries


def annotated_images(
    path: Path,
) -> Iterator[tuple[dict[str, object], list[dict[str, object]], Mapping[object, str]]]:
    """Yield every image of a COCO file, its annotations, and the names of all categories by id.

    Raises:
        NotADataset: If the file is missing, or not in COCO format.
    """
    content = read_json(path)
    names = {each.get("id"): str(each.get("name")) for each in _list(content, "categories", path)}
    by_image: dict[object, list[dict[str, object]]] = {}
    for annotation in _list(content, "annotations", path):
        by_image.setdefault(annotation.get("image_id"), []).append(annotation)
    for image in _list(content, "images", path):
        yield image, by_image.get(image.get("id"), []), names
