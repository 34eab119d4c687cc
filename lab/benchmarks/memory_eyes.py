"""Memory of a tour of the home, filled by a trained detector, and by ground truth from the same images.

RSKILL names the folder of a detector (required), SEEDS the number of drives (3), SCENE a scene of
`scenes/deploy` (home), SENSOR the errors of the camera (off, mild or realsense; off). Images have the
detector's input size. Counted are the records that recall would offer as matches; the map has the furniture.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from benchmarks.memory_drive import SCENE, Drive, DrivenMemory, Truth, figures
from openral_core.errors import OpenRALError
from openral_core.home_map import HomeMap
from openral_core.rskills import DetectorManifest
from openral_core.text import Thesaurus
from openral_perception_ros.detector import find_detector
from openral_perception_ros.engines.base import Engine, LoadOptions, engine_loader
from openral_sim.rendering.sensor import SENSORS, SensorName

LONG = True
Row = dict[str, float | str]
IMAGE_RATE = 2.5
"""Images per second that the detector is given [Hz]."""


class NoRskill(OpenRALError):
    """RSKILL is not set."""

    def __init__(self) -> None:
        super().__init__("RSKILL is not set: name the folder of a continuous detector's rSkill")


def run() -> list[Row]:
    """Two rows per seed: ground truth, and the detector.

    Raises:
        NoRskill: If no detector is named.
    """
    folder = os.environ.get("RSKILL", "")
    if not folder:
        raise NoRskill
    manifest, place = find_detector(folder, ())
    engine = engine_loader(manifest.engine)(manifest, place, LoadOptions())
    seeds = range(int(os.environ.get("SEEDS", "3")))
    return [row for seed in seeds for row in rows(manifest, engine, seed)]


def rows(manifest: DetectorManifest, engine: Engine, seed: int) -> Iterator[Row]:
    """Yield the figures of one drive."""
    thesaurus = Thesaurus.load()
    scene = SCENE.with_stem(os.environ.get("SCENE", SCENE.stem))
    sensor = SENSORS[SensorName(os.environ.get("SENSOR", "off"))]
    with ExitStack() as stack:
        drive = Drive(seed, stack, scene, manifest.input_size, IMAGE_RATE, sensor)
        labels = {drive.source: drive.labels, manifest.id: engine.labels}
        memories = {name: DrivenMemory(drive.home, thesaurus, labels[name], name) for name in labels}
        for moment in drive.moments():
            found = {drive.source: moment.detections, manifest.id: engine.detect(moment.frame, None)}
            for name, memory in memories.items():
                memory.take(moment, found[name])
        truths = [*drive.truths(), *books(drive)]
    for name, memory in memories.items():
        ignored = furniture(drive.home, labels[name], thesaurus)
        told = figures(memory.world, truths, labels[name], thesaurus, ignored)
        yield {"bench": "eyes", "scene": scene.stem, "seed": seed, "detector": name, **shares(told)}


def books(drive: Drive) -> list[Truth]:
    """Books that are a part of a scene's decoration."""
    trims = drive.simulation.world.scene.document.trims
    return [
        Truth(trim.id, "book", (trim.centre[0], trim.centre[1], trim.centre[2]), max(trim.size), seen=False)
        for trim in trims
        if "book" in trim.id
    ]


def furniture(home: HomeMap, labels: Sequence[str], thesaurus: Thesaurus) -> tuple[str, ...]:
    """Labels of furniture."""
    kinds = {fixture.kind for fixture in home.fixtures}
    return tuple(label for label in labels if label in kinds or thesaurus.relation("furniture", label).is_hit)


def shares(found: Row) -> Row:
    """Ghosts and duplicates as shares of the records."""
    count = max(float(found["records"]), 1.0)
    return found | {
        f"{key} [%]": round(100.0 * float(found[key]) / count, 1) for key in ("ghosts", "duplicates")
    }
