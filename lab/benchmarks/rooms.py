"""Rooms found in floor maps, against those of the homes; matched one to one at IoU 0.7.

Three sources: the geometry of sampled homes (1 to 4 rooms), maps that the mapper built of some of them, and
drawn plans (1 to 5 rooms) with doors of 0.75 to 1.0 m, loops, furniture and walls at any angle to the cells.
HOMES=n: homes of the first and the last source, else 40; MAPPED=n: mapped homes, else 8; PICTURES=folder: one
image per home of what was found.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.mapping import mapped, true_occupancy
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_map import HomeMap, Pose2
from openral_mapping.home_from_floor import home_from_floor
from openral_mapping.rooms import segment_rooms
from openral_sim.procedural.home import sample_home
from openral_sim.world import SimWorldModel

Outline = list[tuple[float, float]]
CELL = 0.05
MATCHED = 0.7
DRAWN_ROOMS = 5
WALL = 0.06
COLOURS = np.array(
    [(90, 90, 90), (230, 120, 90), (90, 180, 90), (90, 120, 230), (220, 190, 60), (170, 90, 200)], np.uint8
)


@dataclass(frozen=True)
class Case:
    """A floor map with the outlines of its rooms in the map [m], and its number of doorways."""

    name: str
    floor: FloorMap
    rooms: Sequence[Outline]
    doorways: int
    walls: FloorMap | None = None


def run() -> list[dict[str, object]]:
    """One row per source and number of rooms, and one per source."""
    count, toured = int(os.environ.get("HOMES", "40")), int(os.environ.get("MAPPED", "8"))
    sources = {
        "geometry": (geometry_case(seed, 1 + seed % 4) for seed in range(count)),
        "mapped": (mapped_case(seed, 1 + seed % 4) for seed in range(toured)),
        "drawn": (drawn_case(seed, 1 + seed % DRAWN_ROOMS) for seed in range(count)),
    }
    rows: list[dict[str, object]] = []
    for source, cases in sources.items():
        found = [result(case) for case in cases]
        if not found:
            continue
        sizes = sorted({int(str(row["rooms"])) for row in found})
        rows += [summary(f"{source}, {n} rooms", [row for row in found if row["rooms"] == n]) for n in sizes]
        rows.append(summary(f"{source}, all", found))
    return rows


def summary(name: str, found: Sequence[dict[str, object]]) -> dict[str, object]:
    """Totals over homes."""
    totals = {key: sum(float(str(row[key])) for row in found) for key in found[0]}
    return {
        "source": name,
        "homes": len(found),
        "rooms": round(totals["rooms"]),
        "matched [%]": 100.0 * totals["matched"] / totals["rooms"],
        "found": round(totals["found"]),
        "mean IoU": totals["IoU"] / len(found),
        "doorways": round(totals["doorways"]),
        "doorways found": round(totals["doorways found"]),
        "CPU [ms]": totals["CPU [ms]"] / len(found),
    }


def result(case: Case) -> dict[str, object]:
    """Find the rooms of one map and match them."""
    began = time.process_time()
    home = home_from_floor(case.floor, case.name, walls=case.walls)
    spent = time.process_time() - began
    truths = [case.floor.inside(outline) for outline in case.rooms]
    found = [case.floor.inside(room.polygon) for room in home.rooms]
    ious = np.array([[(a & b).sum() / (a | b).sum() for b in found] for a in truths])
    best = ious[linear_sum_assignment(-ious)]
    if "PICTURES" in os.environ:
        draw(case, home, Path(os.environ["PICTURES"]))
    return {
        "rooms": len(truths),
        "matched": int((best >= MATCHED).sum()),
        "found": len(found),
        "IoU": float(best.sum() / len(truths)),
        "doorways": case.doorways,
        "doorways found": len(home.doorways),
        "CPU [ms]": 1e3 * spent,
    }


def geometry_case(seed: int, rooms: int) -> Case:
    """Rasterise a sampled home."""
    scene = sample_home(seed, rooms)
    world = SimWorldModel.load(scene, 0)
    outlines = [list(room.polygon) for room in scene.home.rooms]
    corners = np.concatenate(outlines)
    low, high = corners.min(axis=0) - 0.5, corners.max(axis=0) + 0.5
    width, height = np.ceil((high - low) / CELL).astype(int).tolist()
    empty = FloorMap(
        np.full((height, width), UNKNOWN, np.int8), CELL, Pose2(x=float(low[0]), y=float(low[1]))
    )
    for outline in outlines:
        empty.cells[empty.inside(outline)] = FREE
    empty.cells[true_occupancy(world, frozenset(), empty)] = OCCUPIED
    return Case(f"geometry_{seed}", empty, outlines, len(scene.home.doorways))


def mapped_case(seed: int, rooms: int) -> Case:
    """Map a sampled home with the mapper."""
    tour = mapped(seed, rooms)
    outlines = [list(room.polygon) for room in tour.home.rooms]
    return Case(f"mapped_{seed}", tour.stages[-1], outlines, len(tour.home.doorways), tour.walls)


def drawn_case(seed: int, rooms: int) -> Case:
    """Draw a plan: rooms by repeated splits, a door in each split and sometimes a second one, furniture."""
    rng = np.random.default_rng([seed, rooms])
    size = np.sqrt(rooms * rng.uniform(11.0, 16.0)) * np.array([1.2, 1.0 / 1.2])
    parts = list(split(rng, [(0.0, 0.0, float(size[0]), float(size[1]))], rooms))
    angle = float(rng.choice([0.0, 0.0, 0.3, 0.7]))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = np.array([(0, 0), (size[0], 0), (size[0], size[1]), (0, size[1])]) @ turn.T
    low = corners.min(axis=0) - 0.5
    height, width = np.ceil((np.ptp(corners, axis=0) + 1.0) / CELL).astype(int)[::-1].tolist()
    cells = np.full((height, width), UNKNOWN, np.int8)
    across, up = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    points = (np.stack((across, up), axis=-1) * CELL + low) @ turn

    def paint(box: Sequence[float], value: int) -> None:
        inside = ((points >= box[:2]) & (points <= box[2:])).all(axis=-1)
        cells[inside] = value

    paint((-0.1, -0.1, size[0] + 0.1, size[1] + 0.1), OCCUPIED)
    for x0, y0, x1, y1 in parts:
        paint((x0 + WALL, y0 + WALL, x1 - WALL, y1 - WALL), FREE)
    doors = list(doors_between(rng, parts))
    for box in furniture(rng, parts, doors):
        paint(box, OCCUPIED)
    for box in doors:
        paint(box, FREE)
    outlines = [(np.array([(a, b), (c, b), (c, d), (a, d)]) @ turn.T).tolist() for a, b, c, d in parts]
    origin = Pose2(x=float(low[0]), y=float(low[1]))
    return Case(f"drawn_{seed}", FloorMap(cells, CELL, origin), outlines, len(doors))


Box = tuple[float, float, float, float]


def split(rng: np.random.Generator, parts: list[Box], count: int) -> list[Box]:
    """Split the largest part until there are ``count``."""
    while len(parts) < count:
        parts.sort(key=lambda part: (part[2] - part[0]) * (part[3] - part[1]))
        x0, y0, x1, y1 = parts.pop()
        at = float(rng.uniform(0.35, 0.65))
        if x1 - x0 > y1 - y0:
            middle = x0 + at * (x1 - x0)
            parts += [(x0, y0, middle, y1), (middle, y0, x1, y1)]
        else:
            middle = y0 + at * (y1 - y0)
            parts += [(x0, y0, x1, middle), (x0, middle, x1, y1)]
    return parts


def doors_between(rng: np.random.Generator, parts: Sequence[Box]) -> Iterator[Box]:
    """Yield doors that connect all parts, and now and then one more."""
    group = list(range(len(parts)))
    for first, a in enumerate(parts):
        for second, b in enumerate(parts[:first]):
            for axis in (0, 1):
                low, high = max(a[1 - axis], b[1 - axis]), min(a[3 - axis], b[3 - axis])
                touching = {a[axis], a[axis + 2]} & {b[axis], b[axis + 2]}
                wanted = group[first] != group[second] or rng.uniform() < 0.2
                if not touching or high - low < 1.5 or not wanted:
                    continue
                group = [group[second] if item == group[first] else item for item in group]
                width = float(rng.uniform(0.75, 1.0))
                start, at = float(rng.uniform(low + 0.2, high - 0.2 - width)), touching.pop()
                box = (at - 0.1, start, at + 0.1, start + width)
                yield box if axis == 0 else (box[1], box[0], box[3], box[2])


def furniture(rng: np.random.Generator, parts: Sequence[Box], doors: Sequence[Box]) -> Iterator[Box]:
    """Yield boxes at walls and one in the middle of larger rooms, away from the doors."""
    for x0, y0, x1, y1 in parts:
        boxes = []
        for _ in range(int((x1 - x0) * (y1 - y0) / 4.0)):
            depth, width = rng.uniform(0.35, 0.65), rng.uniform(0.5, 1.8)
            dx, dy = (depth, width) if rng.uniform() < 0.5 else (width, depth)
            x = rng.choice([x0, max(x0, x1 - dx)]) if dx < dy else rng.uniform(x0, max(x0, x1 - dx))
            y = rng.choice([y0, max(y0, y1 - dy)]) if dy <= dx else rng.uniform(y0, max(y0, y1 - dy))
            boxes.append((float(x), float(y), float(x + dx), float(y + dy)))
        if min(x1 - x0, y1 - y0) > 3.2:
            x, y = (x0 + x1) / 2.0, (y0 + y1) / 2.0
            boxes.append((x - 0.5, y - 0.35, x + 0.5, y + 0.35))
        yield from (box for box in boxes if not any(near(box, door) for door in doors))


def near(box: Box, door: Box) -> bool:
    """Test if a box is less than 0.8 m from a door."""
    return all(box[axis] < door[axis + 2] + 0.8 and door[axis] - 0.8 < box[axis + 2] for axis in (0, 1))


def draw(case: Case, home: HomeMap, folder: Path) -> None:
    """Write an image of a map in the colours of the rooms found."""
    colours = np.array(
        [(90, 90, 90), (230, 120, 90), (90, 180, 90), (90, 120, 230), (220, 190, 60), (170, 90, 200)]
    )
    regions = segment_rooms(case.floor, case.walls).regions
    image = colours[np.minimum(regions, 5)].astype(np.uint8)
    image[case.floor.free] = np.minimum(255, image[case.floor.free].astype(int) + 70).astype(np.uint8)
    image[case.floor.occupied] = image[case.floor.occupied] // 3
    for doorway in home.doorways:
        row, column = case.floor.cell(np.array(doorway.at)).tolist()
        cv2.circle(image, (column, row), 4, (255, 255, 255), -1)
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{case.name}_rooms.png"), image[::-1])
