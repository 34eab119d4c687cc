"""Fetch real data from public repositories at pinned commits, and derive what is made from them."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import onnx
from pydantic import TypeAdapter

from openral_core.documents import Document
from openral_core.parsing import parse_yaml
from openral_perception_ros.weights.download import PARTS, PinnedFile, fetch_pinned
from openral_testing.real_data.annotations import LICENSED, Photographs, write_annotations
from openral_testing.real_data.location import PROOF
from openral_testing.weights.ncnn import CONVERSIONS, Graph, Layer, convert

HERE = Path(__file__).parent
RAW = "https://raw.githubusercontent.com"
SOURCES = "sources"
"""Folder of what only serves to make other files."""
TENTHS_PER_MM = 10
"""Depth of the frames of the table is published in [0.1 mm]."""
CONVERTED: Mapping[str, int] = {"nanodet-plus-m-416": 416, "yolox-nano-416": 416, "nanodet-m-320": 320}
"""Networks in ncnn's format, with width and height of their input [px]."""


END = np.iinfo(np.int64).max
"""End of a slice that takes the rest."""


def _swish(graph: Graph, layer: Layer) -> None:
    gate = f"{layer.outputs[0]}_gate"
    graph.add("Sigmoid", layer.inputs, [gate])
    graph.add("Mul", [layer.inputs[0], gate], layer.outputs)


def _focus(graph: Graph, layer: Layer) -> None:
    """Put the four pixels of each 2x2 block into channels, column by column."""
    parts = []
    for column, row in ((0, 0), (0, 1), (1, 0), (1, 1)):
        bounds = ([row, column], [END, END], [2, 3], [2, 2])
        constants = [graph.constant(np.array(each)) for each in bounds]
        parts.append(f"{layer.outputs[0]}_{row}{column}")
        graph.add("Slice", [layer.inputs[0], *constants], parts[-1:])
    graph.add("Concat", parts, layer.outputs, axis=1)
    graph.channels[layer.outputs[0]] = 4 * graph.channels[layer.inputs[0]]


OPERATIONS = {**CONVERSIONS, "Swish": _swish, "YoloV5Focus": _focus}


class PublicFile(NamedTuple):
    """Path in its repository, sha256 and size [bytes] of one file."""

    path: str
    sha256: str
    size: int


class SourceRepository(Document):
    """Files of one repository at one commit, by their path in the folder of real data."""

    repository: str
    commit: str
    licence: str
    files: Mapping[str, PublicFile]


def sources() -> tuple[SourceRepository, ...]:
    """Read the list of public files."""
    return TypeAdapter(tuple[SourceRepository, ...]).validate_python(_shipped("sources.yaml"))


def _shipped(name: str) -> object:
    return parse_yaml((HERE / name).read_text("utf-8"))


def pinned_files(folder: Path) -> dict[Path, PinnedFile]:
    """Return the public file of each target below ``folder``."""
    return {
        folder / target: PinnedFile(f"{RAW}/{source.repository}/{source.commit}/{entry.path}", *entry[1:])
        for source in sources()
        for target, entry in source.files.items()
    }


def fetch_real_data(folder: Path, mirror: str = "") -> None:
    """Bring the folder of real data up to date.

    Args:
        folder: Target.
        mirror: Address that has ``https://host/path`` as ``<mirror>/host/path``; empty for the public one.

    Raises:
        DownloadFailed, FileTooLarge, UnsafeRedirect, UnexpectedContent: See `fetch_pinned`.
    """
    fetch_pinned(pinned_files(folder), folder / PARTS, mirror)
    for name, size in CONVERTED.items():
        stem = folder / SOURCES / name
        model = convert(stem.with_suffix(".param"), stem.with_suffix(".bin"), (size, size), OPERATIONS)
        onnx.save(model, folder / "weights" / f"{name}.onnx")
    categories = json.loads((folder / SOURCES / LICENSED).read_text("utf-8"))["categories"]
    labels = "".join(f"{each['name']}\n" for each in categories)
    (folder / "weights" / "coco80.txt").write_text(labels, "utf-8")
    for depth in sorted((folder / SOURCES).glob("*-depth.png")):
        tenths = np.asarray(cv2.imread(str(depth), cv2.IMREAD_UNCHANGED))
        cv2.imwrite(str(folder / "rgbd_table" / depth.name), tenths // TENTHS_PER_MM)
    for truth in (HERE / "rgbd_table").iterdir():
        shutil.copyfile(truth, folder / "rgbd_table" / truth.name)
    photographs = TypeAdapter(tuple[Photographs, ...]).validate_python(_shipped("photos.yaml"))
    write_annotations(folder / PROOF, folder / SOURCES, photographs)
