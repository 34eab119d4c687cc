"""BabyAI levels: the translation of missions, and missions in any engine that speaks the protocol."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from openral_bringup.graph.resources import rskill_folders
from openral_core.rskills import Registry
from openral_household_benchmark.babyai import (
    SERVER,
    BabyAIResult,
    play,
    play_all,
    request_of,
    summary,
)
from openral_household_benchmark.babyai_peers import cell_at, pose_of
from openral_household_benchmark.choices import BABYAI_LEVELS
from openral_household_benchmark.engine_process import EngineProcess
from openral_household_benchmark.games_cli import commands
from openral_reasoner.scripted.planner import ScriptedModel

PYTHON = Path(__file__).parents[3] / ".environments" / "games" / "bin" / "python"
INSTALLED = any(PYTHON.parents[1].glob("lib/python*/site-packages/minigrid"))
FAKE = r"""
import json, sys

LEVELS = {
    "GoToLocal": ("go to the red ball", ["#######", "#o....#", "#.....#", "#..R..#", "#######"], 64),
    "Pickup": ("pick up a blue key", ["########", "#..R#..#", "#...D.k#", "########"], 64),
    "PutNextLocal": ("put the blue key next to a ball", ["#######", "#o...k#", "#..R..#", "#######"], 64),
    "Open": ("open the green door", ["########", "#o.R.D.#", "########"], 64),
    "GoTo": ("go to the red ball", ["#######", "#o...R#", "#######"], 3),
    "GoToObjDoor": ("go to the red ball", ["######", "#oL.R#", "######"], 64),
    "GoToRedBall": ("go to the red ball", ["#####", "#.Ro#", "#####"], 64),
    "ActionObjDoor": ("wash the red ball", ["######", "#o..R#", "######"], 64),
}
CODES = {"#": (2, 5, 0), ".": (1, 0, 0), "o": (6, 0, 0), "k": (5, 2, 0)}
CODES |= {"/": (4, 1, 0), "D": (4, 1, 1), "L": (4, 1, 2)}
AHEAD = [(1, 0), (0, 1), (-1, 0), (0, -1)]


class World:
    def __init__(self, level):
        self.mission, rows, self.limit = LEVELS[level]
        self.cells = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
        self.at = next(cell for cell, sign in self.cells.items() if sign == "R")
        self.cells[self.at] = "."
        self.direction, self.held, self.steps = 0, "", 0

    def cell(self, ahead, right):
        dx, dy = AHEAD[self.direction]
        return self.at[0] + ahead * dx - right * dy, self.at[1] + ahead * dy + right * dx

    def act(self, action):
        front = self.cell(1, 0)
        sign = self.cells[front]
        self.steps += 1
        self.direction = (self.direction + {"left": 3, "right": 1}.get(action, 0)) % 4
        if action == "forward" and sign in "./":
            self.at = front
        elif action == "pickup" and sign in "ok" and not self.held:
            self.held, self.cells[front] = sign, "."
        elif action == "drop" and sign == "." and self.held:
            self.cells[front], self.held = self.held, ""
        elif action == "toggle" and sign == "D":
            self.cells[front] = "/"
        return self.told(self.done(action))

    def done(self, action):
        verb, front = self.mission.split()[0], self.cell(1, 0)
        if verb == "put":
            places = {sign: cell for cell, sign in self.cells.items()}
            ball, key = places["o"], places.get("k", (99, 99))
            return abs(ball[0] - key[0]) + abs(ball[1] - key[1]) == 1
        return {
            "go": self.cells[front] == "o",
            "pick": self.held == "k",
            "open": action == "toggle" and self.cells[front] == "/",
        }.get(verb, False)

    def told(self, done=False):
        image = [[CODES[self.cells.get(self.cell(6 - j, i - 3), "#")] for j in range(7)] for i in range(7)]
        image[3][6] = CODES[self.held or "."]
        for i in range(7):
            for j in range(7):
                if self.cell(6 - j, i - 3) not in self.cells or self.hidden(i, j):
                    image[i][j] = (0, 0, 0)
        over = self.steps >= self.limit and not done
        told = {"image": image, "direction": self.direction, "reward": float(done)}
        return told | {"terminated": done, "truncated": over}

    def hidden(self, i, j):
        return any(self.cells.get(self.cell(a, 0)) in ("D", "L") for a in range(1, 6 - j)) and i in (2, 3, 4)


for line in sys.stdin:
    request = json.loads(line)
    if "level" in request:
        world = World(request["level"].removeprefix("BabyAI-").removesuffix("-v0"))
        reply = world.told() | {"mission": world.mission, "max_steps": world.limit, "reference": 4}
    else:
        reply = world.act(request["action"])
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load(rskill_folders())


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[EngineProcess]:
    script = tmp_path / "fake_server.py"
    script.write_text(FAKE, encoding="utf-8")
    with EngineProcess(Path(sys.executable), script) as running:
        yield running


@pytest.mark.parametrize(
    ("mission", "request_text"),
    [
        ("go to the red ball", "find the red ball, then go to the red ball"),
        ("open a grey door", "find the grey door, then open the grey door"),
        ("pick up a key", "pick up the key"),
        (
            "put the blue key next to a box",
            "explore the home, then take the blue key to the box",
        ),
        (
            "open the blue door after you open a red door",
            "find the red door, then open the red door, then find the blue door, then open the blue door",
        ),
        ("pick up a red key, then pick up a ball", "pick up the red key, then pick up the ball"),
        ("pick up the ball on your left", "pick up the ball on your left"),
    ],
)
def test_a_mission_is_translated_in_the_order_in_which_it_is_wanted(mission: str, request_text: str) -> None:
    assert request_of(mission) == request_text


@given(st.tuples(st.integers(-30, 30), st.integers(-30, 30)), st.integers(0, 3))
def test_a_pose_is_in_its_cell(cell: tuple[int, int], direction: int) -> None:
    assert cell_at(pose_of(cell, direction).position) == cell


@pytest.mark.parametrize(
    ("level", "most"), [("GoToLocal", 12), ("Pickup", 16), ("PutNextLocal", 24), ("Open", 6)]
)
def test_accomplishes_missions_from_its_own_views(
    fake: EngineProcess, registry: Registry, level: str, most: int
) -> None:
    result = play(fake, level, 0, registry, ScriptedModel())
    assert result.success, result.reason
    assert 0 < result.steps <= most
    assert (result.handoffs, result.refused, result.exhausted) == (0, False, False)


def test_says_that_it_is_done_where_nothing_was_to_be_done(fake: EngineProcess, registry: Registry) -> None:
    result = play(fake, "GoToRedBall", 0, registry, ScriptedModel())
    assert (result.success, result.steps, result.refused) == (True, 1, False)


def test_the_limit_of_steps_ends_a_level_and_is_no_question(fake: EngineProcess, registry: Registry) -> None:
    result = play(fake, "GoTo", 0, registry, ScriptedModel())
    assert (result.success, result.steps, result.exhausted, result.handoffs) == (False, 3, True, 0)


def test_asks_a_human_where_a_locked_door_is_in_the_way(fake: EngineProcess, registry: Registry) -> None:
    result = play(fake, "GoToObjDoor", 0, registry, ScriptedModel())
    assert (result.success, result.exhausted, result.handoffs) == (False, False, 1)
    assert result.steps > 0


def test_refuses_a_mission_that_it_cannot_read(fake: EngineProcess, registry: Registry) -> None:
    result = play(fake, "ActionObjDoor", 0, registry, ScriptedModel())
    assert (result.success, result.refused, result.handoffs, result.steps) == (False, True, 1, 0)


def test_the_table_compares_what_both_accomplished(fake: EngineProcess, registry: Registry) -> None:
    results = list(play_all(fake, ["Open", "GoTo"], range(2), registry, ScriptedModel()))
    opened, limited = summary(results)
    assert opened["number"] == limited["number"] == 2
    assert (opened["success"], limited["success"]) == (1.0, 0.0)
    assert opened["ratio"] == round(results[0].steps / 4, 2)
    assert (limited["ratio"], limited["out of steps"]) == ("", 2)


def test_the_command_names_what_is_missing_and_what_is_valid(tmp_path: Path) -> None:
    run = CliRunner().invoke(commands, ["bench", "babyai", "--python", str(tmp_path / "none")])
    assert run.exit_code == 2
    assert "make games" in " ".join(run.output.replace("│", " ").split())
    run = CliRunner().invoke(commands, ["bench", "babyai", "--level", "BossLevel"])
    assert run.exit_code == 2
    assert "GoToLocal" in run.output


def test_the_command_writes_a_line_for_each_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "fake_server.py"
    script.write_text(FAKE, encoding="utf-8")
    monkeypatch.setattr("openral_household_benchmark.babyai.SERVER", script)
    options = ["--level", "Open", "--level", "GoTo", "--seeds", "2", "--out", str(tmp_path / "out")]
    run = CliRunner().invoke(commands, ["bench", "babyai", "--python", sys.executable, *options])
    assert run.exit_code == 1, "the level with three steps is not accomplished"
    lines = (tmp_path / "out" / "babyai.jsonl").read_text(encoding="utf-8").splitlines()
    results = [BabyAIResult(**json.loads(line)) for line in lines]
    assert [(each.level, each.seed, each.success) for each in results] == [
        ("Open", 0, True),
        ("Open", 1, True),
        ("GoTo", 0, False),
        ("GoTo", 1, False),
    ]
    assert "out of steps" in run.output


@pytest.mark.skipif(not INSTALLED, reason="minigrid is not installed: make games")
def test_plays_the_engine_itself(registry: Registry) -> None:
    with EngineProcess(PYTHON, SERVER) as engine:
        results = list(play_all(engine, BABYAI_LEVELS, range(1000, 1001), registry, ScriptedModel()))
        again = play(engine, BABYAI_LEVELS[0], 1000, registry, ScriptedModel())
    done = {each.level for each in results if each.success}
    assert done >= {"GoToLocal", "PutNextLocal", "OpenTwoDoors", "Pickup", "GoToSeq"}
    assert all(0 < each.steps <= each.max_steps for each in results if not each.refused)
    assert all(each.reference > 0 for each in results)
    assert (again.steps, again.mission) == (results[0].steps, results[0].mission)
