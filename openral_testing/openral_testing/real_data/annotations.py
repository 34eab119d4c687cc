"""Ground truth of the photographs, cut out of the annotation files of their repositories."""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openral_core.documents import Document
from openral_core.files import replace_file

DESCRIPTION = "COCO 2017 subset; annotations CC BY 4.0 (COCO Consortium)"
IMAGE_KEYS = ("id", "file_name", "width", "height", "license", "flickr_url")
ANNOTATION_KEYS = ("image_id", "category_id", "bbox", "area", "iscrowd", "segmentation")
LICENSED = "COCO-MINI-val.json"
"""Source that has the texts of COCO's licences."""


class Photographs(Document):
    """COCO ids of photographs of one group and split."""

    group: str
    split: str
    ids: tuple[int, ...]


def write_annotations(target: Path, folder: Path, photographs: tuple[Photographs, ...]) -> None:
    """Write COCO's json of these photographs from the annotation files in ``folder``."""
    contents = {file.name: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))}
    images, annotations = [], []
    for group in photographs:
        for id_ in group.ids:
            image, boxes = next(_found(contents, id_))
            images.append({**_only(image, IMAGE_KEYS), "coco_split": group.split, "group": group.group})
            annotations += [_only(box, ANNOTATION_KEYS) for box in boxes]
    _write_attribution(target.with_name("ATTRIBUTION.csv"), images, contents[LICENSED]["licenses"])
    categories = [_only(each, ("id", "name")) for each in contents[LICENSED]["categories"]]
    licences = {image["license"] for image in images}
    content = {
        "info": {"description": DESCRIPTION},
        "licenses": [each for each in contents[LICENSED]["licenses"] if each["id"] in licences],
        "images": images,
        "annotations": [{"id": number, **box} for number, box in enumerate(annotations, start=1)],
        "categories": categories,
    }
    replace_file(target, json.dumps(content))


def _write_attribution(target: Path, images: list[dict[str, Any]], licences: list[Any]) -> None:
    """Write a line for each photograph; COCO has the address of its page, not the name of its author."""
    texts = {each["id"]: (each["name"], each["url"]) for each in licences}
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "file", "split", "group", "licence", "licence_url", "flickr_url"))
        for image in images:
            keys = (image[key] for key in ("id", "file_name", "coco_split", "group"))
            writer.writerow((*keys, *texts[image["license"]], image["flickr_url"]))


def _found(contents: Mapping[str, Any], id_: int) -> Iterator[tuple[Any, list[Any]]]:
    """Yield a photograph with its boxes, from each file that has it."""
    for content in contents.values():
        boxes = [box for box in content["annotations"] if box["image_id"] == id_]
        yield from ((image, boxes) for image in content["images"] if image["id"] == id_)


def _only(entry: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: entry[key] for key in keys}
