"""Places where the exports of annotation tools keep their files: annotations of a split, and images by name.

| tool | annotations | images |
|---|---|---|
| this product | ``<split>/annotations.json`` | ``<split>/images/`` |
| COCO | ``annotations/instances_<split>*.json`` | ``<split>*/``, ``images/<split>*/``, ``images/`` |
| Roboflow | ``<split>/_annotations.coco.json`` | beside it |
| CVAT | ``annotations/instances_<subset>.json`` | ``images/<subset>/`` |
| Label Studio | ``result.json`` | ``images/`` |
| Ultralytics, Roboflow and CVAT as YOLO | ``data.yaml`` | named there |

An export without splits is the split ``train``; ``val`` then needs an export of its own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from PIL import ExifTags, Image

SPLITS = {
    "train": ("train", "training"),
    "val": ("val", "valid", "validation"),
    "test": ("test", "testing"),
}
"""Names of the splits in the exports of other tools."""
FILES = ("annotations.json", "_annotations.coco.json", "result.json")
"""Names of annotation files in the folder of a split."""
YOLO_FILES = ("data.yaml", "data.yml", "dataset.yaml")
GENERIC_FOLDERS = frozenset(
    {"images", "data", "default", "frames", "upload", "obj_train_data"}.union(*SPLITS.values())
)
"""Folders that tools make, which do not tell two images of one name apart."""
_NUMBERED = re.compile(r"(?P<name>.*?)[-_]?(?:19|20)\d\d")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """An annotation file and the folders that may hold its images."""

    file: Path
    folders: tuple[Path, ...]


def annotations_of(data: Path, split: str) -> list[AnnotationFile]:
    """List what may be the annotations of a split; several are a choice that is not made here."""
    candidates = [*_in_folders(data, split), *_of_coco(data, split)]
    candidates += [AnnotationFile(data / name, (data,)) for name in YOLO_FILES if (data / name).is_file()]
    return candidates or (list(_undivided(data)) if split in SPLITS["train"] else [])


def is_split(name: str, split: str) -> bool:
    """Test if a folder or file named so belongs to a split, such as ``valid`` or ``train2017``."""
    plain = name.lower()
    numbered = _NUMBERED.fullmatch(plain)
    return plain == split or bool({plain, numbered["name"] if numbered else plain} & {*SPLITS.get(split, ())})


def _in_folders(data: Path, split: str) -> Iterator[AnnotationFile]:
    for folder in sorted(data.iterdir()) if data.is_dir() else ():
        if folder.is_dir() and is_split(folder.name, split):
            yield from _beside(folder)


def _beside(folder: Path) -> Iterator[AnnotationFile]:
    for name in FILES:
        if (folder / name).is_file():
            yield AnnotationFile(folder / name, (folder / "images", folder))


def _of_coco(data: Path, split: str) -> Iterator[AnnotationFile]:
    for file in sorted((data / "annotations").glob("instances_*.json")):
        name = file.stem.removeprefix("instances_")
        if is_split(name, split):
            yield AnnotationFile(file, _coco_folders(data, name))


def _coco_folders(data: Path, name: str) -> tuple[Path, ...]:
    return (data / name, data / name / "images", data / "images" / name, data / "images", data)


def _undivided(data: Path) -> Iterator[AnnotationFile]:
    yield from _beside(data)
    for file in sorted((data / "annotations").glob("instances_*.json")):
        name = file.stem.removeprefix("instances_")
        if name == "default":
            yield AnnotationFile(file, _coco_folders(data, name))


def path_parts(name: str) -> tuple[str, ...]:
    """Split a file name as tools write it: POSIX or Windows path, or URL; a query is left out."""
    url = urlsplit(name) if "://" in name else None
    plain = (url.path if url else name).replace("\\", "/")
    return tuple(part for part in PurePosixPath(_DRIVE.sub("", plain, count=1)).parts if part not in "/..")


def image_file(name: str, folders: Sequence[Path]) -> Path | None:
    """Find an image as it is named, else by the longest end of its path that exists, else None."""
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    parts = path_parts(name)
    for start in range(len(parts)):
        end = "/".join(parts[start:])
        for form in dict.fromkeys((end, unquote(end))):
            for folder in folders:
                if (folder / form).is_file():
                    return folder / form
    return None


def image_size(file: Path) -> tuple[int, int] | None:
    """Read (width, height) [px] of the stored pixels from the header; None if it is no image."""
    try:
        with Image.open(file) as image:
            return image.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return None


def orientation(file: Path) -> int:
    """Read the EXIF orientation; 1 if there is none."""
    try:
        with Image.open(file) as image:
            value = image.getexif().get(ExifTags.Base.Orientation, 1)
    except (OSError, ValueError, Image.DecompressionBombError):
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def is_turned(file: Path) -> bool:
    """Test if EXIF turns an image in a way that its size does not tell, so that boxes may be either way."""
    turn, size = orientation(file), image_size(file)
    return turn > 1 and (turn <= 4 or (size is not None and size[0] == size[1]))
