"""Spatial memory beside a linear scan, from a thousand objects to two hundred thousand.

Times are CPU time of the one thread at work, so that other load on the machine does not count.
"""

import gc
import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil

from openral_core.geometry import Pose
from openral_core.home_map import Fixture, HomeMap, Pose2, Room
from openral_core.spatial_memory import RecallQuery
from openral_core.text import Thesaurus
from openral_core.text.thesaurus import shipped_entries
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.embeddings.index import MOST_LABELS, EmbeddingIndex
from openral_world_state.observation import Observation
from openral_world_state.scene_graph import object_edges
from openral_world_state.spatial_memory.memory import MemoryLimits, SpatialMemory
from openral_world_state.static_map import StaticMap, static_map_from_home
from openral_world_state.world.open_world import keep_home, open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

Row = dict[str, str | float]
SIZES = (1_000, 10_000, 50_000, 200_000)  # Objects [count].
PER_SNAPSHOT = 20  # Objects [count].
FIXTURES, PER_ROOM = 500, 20  # [count]
KEPT = 0.98  # Share of the objects that are no piece of the home: a few chance to fill a cabinet [1].
SURE = (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 0.0, 1e-4)  # Covariance [m^2].
NAMES = sorted(shipped_entries().things)
COLOURS = ("red", "blue", "green", "white", "black", "")
DIMENSIONS, LEAST, CONSIDERED = 384, 0.5, 8  # Of a vector; similarity [1]; labels [count].
MISSES = ("unicorn", "flux capacitor", "zorb", "dragon egg", "moon rock")


def run(sizes: tuple[int, ...] = SIZES) -> list[Row]:
    """One row per size and operation, with the baseline where it has the operation."""
    thesaurus = Thesaurus.load()
    return [row for size in sizes for row in _rows(size, thesaurus)]


def _rows(size: int, thesaurus: Thesaurus) -> Iterator[Row]:
    rng = random.Random(size)
    snapshots = _snapshots(size, rng)
    # What is measured is memory: the collector need not walk over what it is fed with.
    gc.collect()
    gc.freeze()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory.sqlite"
        before = psutil.Process().memory_info().rss
        limits = MemoryLimits(objects=2 * size)
        memory = SpatialMemory(path, thesaurus, limits.objects)
        associator = DataAssociator(memory, thesaurus, AssociationGates(), 0, limits)
        yield from _ingest(size, memory, associator, snapshots)
        used = psutil.Process().memory_info().rss - before
        yield {"bench": "memory", "objects": size, "case": "memory used", "[MB]": round(used / 1e6, 1)}
        yield from _recalls(
            size, WorldModel(memory, StaticMap(), WorldModelSettings(), thesaurus), snapshots, rng
        )
        yield from _files(size, memory, path, thesaurus, WorldModelSettings(limits=limits))


def _snapshots(size: int, rng: random.Random) -> list[tuple[Observation, ...]]:
    """As many things as asked for, about 2 per cubic metre, with about 2500 different labels."""
    side = (size / 4.0) ** 0.5
    labels = [f"{rng.choice(COLOURS)} {rng.choice(NAMES)}".strip() for _ in range(size)]
    observations = [
        Observation(
            label,
            0.9,
            Pose((rng.uniform(0.0, side), rng.uniform(0.0, side), rng.uniform(0.0, 2.0))),
            (0.1, 0.1, 0.1),
            SURE,
            float(number // PER_SNAPSHOT),
            "bench",
        )
        for number, label in enumerate(labels)
    ]
    return [tuple(observations[i : i + PER_SNAPSHOT]) for i in range(0, size, PER_SNAPSHOT)]


def _ingest(
    size: int, memory: SpatialMemory, associator: DataAssociator, snapshots: list[tuple[Observation, ...]]
) -> Iterator[Row]:
    def take(part: list[tuple[Observation, ...]]) -> float:
        began = time.thread_time()
        for snapshot in part:
            associator.associate(snapshot, (0.0, 0.0, 1.4))
            memory.commit()
        return PER_SNAPSHOT * len(part) / (time.thread_time() - began)

    tenth = max(1, len(snapshots) // 10)
    first = take(snapshots[:tenth])
    take(snapshots[tenth:-tenth])
    last = take(snapshots[-tenth:])
    repeats = take(random.Random(0).sample(snapshots, min(len(snapshots), 500)))
    linear = LinearMemory()
    for snapshot in snapshots:
        linear.preload(snapshot)
    few = snapshots[: max(1, min(10, 100_000 // size))]
    began = time.thread_time()
    for snapshot in few:
        linear.take_in(snapshot)
    baseline = PER_SNAPSHOT * len(few) / (time.thread_time() - began)
    rates = {"new, first tenth": first, "new, last tenth": last, "known": repeats}
    for case, rate in rates.items():
        yield {
            "bench": "memory",
            "objects": size,
            "case": f"ingest {case}",
            "[1/s]": round(rate),
            "baseline [1/s]": round(baseline),
        }


def _recalls(
    size: int, world: WorldModel, snapshots: list[tuple[Observation, ...]], rng: random.Random
) -> Iterator[Row]:
    linear = LinearMemory()
    for snapshot in snapshots:
        linear.preload(snapshot)
    words = {"hit": [rng.choice(NAMES) for _ in range(500)], "miss": list(MISSES) * 40}
    for case, queries in words.items():
        baseline = _times(linear.recall, queries[: max(2, 200_000 // size)])
        ours = _times(lambda text: world.recall(RecallQuery(text), 1e6), queries)
        yield _timed(size, f"recall {case}", ours, baseline)

    def hundred_with_edges(text: str) -> None:
        for match in world.recall(RecallQuery(text, limit=100), 1e6).matches:
            list(object_edges(world.memory.get(match.node_id), world.home, world.memory))

    yield _timed(size, "recall 100 with their edges", _times(hundred_with_edges, words["hit"][:100]), None)
    yield from meaning_rows(size, world, rng)


def _files(
    size: int, memory: SpatialMemory, path: Path, thesaurus: Thesaurus, settings: WorldModelSettings
) -> Iterator[Row]:
    began = time.thread_time()
    for record in memory:
        memory.touch(record)
    memory.commit()
    saved = time.thread_time() - began
    memory.close()
    began = time.thread_time()
    again = SpatialMemory(path, thesaurus, settings.limits.objects)
    loaded = time.thread_time() - began
    assert len(again) == len(memory)
    keep_home(WorldModel(again, static_map_from_home(large_home()), settings, thesaurus))
    again.close()
    began = time.thread_time()
    world = open_world(None, str(path), settings, thesaurus)
    furnished = time.thread_time() - began
    assert len(world.memory) >= KEPT * len(memory)
    assert len(world.home.sites) == FIXTURES
    world.memory.close()
    size_on_disk = path.stat().st_size / 1e6
    yield {"bench": "memory", "objects": size, "case": "save everything", "[s]": round(saved, 2)}
    yield {
        "bench": "memory",
        "objects": size,
        "case": "load",
        "[s]": round(loaded, 2),
        "file [MB]": round(size_on_disk, 1),
    }
    yield {
        "bench": "memory",
        "objects": size,
        "case": f"load with {FIXTURES} fixtures",
        "[s]": round(furnished, 2),
    }


def large_home() -> HomeMap:
    """Return a home of 25 rooms in a row, with twenty cabinets each."""
    rooms = [
        Room(id=f"room_{n}", name=f"room {n}", polygon=((x, 0.0), (x + 5.0, 0.0), (x + 5.0, 4.0), (x, 4.0)))
        for n in range(FIXTURES // PER_ROOM)
        for x in (5.0 * n,)
    ]
    fixtures = [
        Fixture(
            id=f"cabinet_{room.id}_{n}",
            kind="cabinet",
            name=f"cabinet {n} of {room.name}",
            room=room.id,
            pose=Pose2(x=room.polygon[0][0] + 0.3 + 0.45 * (n % 10), y=0.3 + 3.2 * (n // 10)),
            depth=0.4,
            width=0.4,
            height=0.9,
        )
        for room in rooms
        for n in range(PER_ROOM)
    ]
    return HomeMap(name="large", rooms=tuple(rooms), fixtures=tuple(fixtures))


def _times(call: Callable[[str], object], words: list[str]) -> list[float]:
    times = []
    for text in words:
        began = time.thread_time()
        call(text)
        times.append(1e3 * (time.thread_time() - began))
    return times


def _timed(size: int, case: str, ours: list[float], baseline: list[float] | None) -> Row:
    row: Row = {
        "bench": "memory",
        "objects": size,
        "case": case,
        "median [ms]": round(float(np.median(ours)), 3),
        "p99 [ms]": round(float(np.percentile(ours, 99)), 3),
    }
    if baseline is not None:
        row["baseline median [ms]"] = round(float(np.median(baseline)), 3)
    return row


def meaning_rows(size: int, world: WorldModel, rng: random.Random) -> Iterator[Row]:
    """A miss that names what is near in meaning by random vectors, a model's own time left out."""
    numbers, thesaurus = np.random.default_rng(rng.randrange(1 << 30)), Thesaurus.load()
    meanings = _filled(EmbeddingIndex(thesaurus), [*world.memory.labels.labels], numbers)
    times = []
    for number in range(200):
        words = f"gadget{number}"
        vector = meanings._vectors[int(numbers.integers(len(meanings)))] + _unit(numbers, 1)[0] * 0.3
        vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        began = time.thread_time()
        world.recall(RecallQuery(words), 1e6, list(meanings.near(words, vector, LEAST, CONSIDERED)))
        times.append(1e3 * (time.thread_time() - began))
    yield {
        "bench": "memory",
        "objects": size,
        "case": f"recall miss, near in meaning among {len(meanings)} phrases",
        "median [ms]": round(float(np.median(times)), 3),
        "p99 [ms]": round(float(np.percentile(times, 99)), 3),
    }


def _filled(meanings: EmbeddingIndex, labels: list[str], numbers: np.random.Generator) -> EmbeddingIndex:
    """Labels in use, then others up to the most that are kept."""
    vocabulary = [*labels, *(f"thing{number}" for number in range(MOST_LABELS))]
    while phrases := meanings.unknown(vocabulary):
        meanings.put(phrases, _unit(numbers, len(phrases)))
    return meanings


def _unit(numbers: np.random.Generator, count: int) -> np.ndarray:
    vectors = numbers.normal(size=(count, DIMENSIONS)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@dataclass
class MemoryEntry:
    """One remembered object."""

    label: str
    position: tuple[float, float, float]
    last_seen: float


class LinearMemory:
    """Baseline: a list, gone through each time; the nearest of a label within a radius is the same."""

    def __init__(self, radius: float = 0.12) -> None:
        self._things: list[MemoryEntry] = []
        self._radius = radius

    def preload(self, snapshot: tuple[Observation, ...]) -> None:
        """Keep everything as new."""
        self._things.extend(MemoryEntry(each.label, each.pose.position, each.stamp) for each in snapshot)

    def take_in(self, snapshot: tuple[Observation, ...]) -> None:
        """Update the nearest thing of the same label, else keep a new one."""
        for each in snapshot:
            near = [
                item
                for item in self._things
                if item.label == each.label and math.dist(item.position, each.pose.position) < self._radius
            ]
            if near:
                best = min(near, key=lambda element: math.dist(element.position, each.pose.position))
                best.position, best.last_seen = each.pose.position, each.stamp
            else:
                self.preload((each,))

    def recall(self, words: str) -> list[MemoryEntry]:
        """The five things seen last whose label has all the words."""
        terms = set(words.casefold().split())
        hits = [item for item in self._things if terms <= set(item.label.casefold().split())]
        return sorted(hits, key=lambda element: -element.last_seen)[:5]
