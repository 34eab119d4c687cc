"""File of missions of a training: drawn once, continued where an interruption left it."""

import json
from collections.abc import Callable
from pathlib import Path

from openral_reasoner.compact.choices import FORMAT
from openral_training.planner.homes import draw_mission
from openral_training.planner.missions import play

REPORTED = 100
"""Missions between two lines of progress [1]."""


def draw_missions(path: Path, first: int, count: int, say: Callable[[str], None]) -> None:
    """Write ``count`` missions of the seeds from ``first`` on; those that did not end well are left out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    last = last_seed(path)
    if last is None:
        path.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        for seed in range(first if last is None else max(first, last + 1), first + count):
            file.write(json.dumps(row_of(seed)) + "\n")
            file.flush()
            if (seed + 1 - first) % REPORTED == 0:
                say(f"{seed + 1 - first} of {count} missions are drawn")


def last_seed(path: Path) -> int | None:
    """Cut a line that an interruption left unfinished; return the last seed, None if there is no file."""
    if not path.exists():
        return None
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")
    return int(json.loads(lines[-2])["seed"]) if len(lines) > 2 else -1


def row_of(seed: int) -> dict[str, object]:
    """Play the mission of a seed and return its line."""
    played, mission = play(seed), draw_mission(seed)
    samples = [[each.prompt, each.lines, each.right] for each in played.samples]
    about = {"goal": mission.goal, "kind": mission.kind, "state": played.state.name, "way": played.way}
    return {"seed": seed, **about, "samples": samples}
