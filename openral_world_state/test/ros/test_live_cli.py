"""An operator looks into memory and puts it right."""

from pathlib import Path

import pytest

pytest.importorskip("rclpy")
from typer.testing import CliRunner

from openral_core.text import Thesaurus
from openral_world_state.ros.live_cli import app
from openral_world_state.scene_graph import read_graph
from openral_world_state.spatial_memory.memory import SpatialMemory

HOME = Path(__file__).parents[3] / "scenes" / "memory" / "home.json"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.sqlite"
    assert run("import", path, HOME) == (0, "")
    return path


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def test_lists_and_shows_what_is_remembered(file: Path) -> None:
    assert "wine" in run("list", file)[1]
    assert "in fridge" in run("show", file, "wine_bottle_1")[1]


def test_puts_right_what_it_is_told(file: Path, tmp_path: Path) -> None:
    for words in (
        ("rename", file, "bread_3", "baguette"),
        ("move", file, "mug_4", 7.4, 4.2, 0.83),
        ("forget", file, "bowl_5"),
        ("merge", file, "wine_bottle_1", "milk_2"),
        ("export", file, tmp_path / "graph.json"),
    ):
        assert run(*words) == (0, "")
    graph = read_graph(tmp_path / "graph.json")
    assert graph.by_id["bread_3"].label == "baguette"
    assert graph.by_id["mug_4"].pose.position == (7.4, 4.2, 0.83)
    assert not {"bowl_5", "milk_2"} & graph.by_id.keys()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("forget", "unicorn_1"), "unknown object 'unicorn_1'"),
        (("rename", "mug_4", "!"), "names no object"),
        (("merge", "mug_4", "mug_4"), "already the same object"),
    ],
)
def test_says_why_it_cannot(file: Path, words: tuple[str, ...], expected: str) -> None:
    status, output = run(words[0], file, *words[1:])
    assert status == 1
    assert expected in output.replace("\n", " ")


def test_does_not_touch_a_memory_that_a_node_writes(file: Path) -> None:
    memory = SpatialMemory(file, Thesaurus.load())
    status, output = run("forget", file, "mug_4")
    assert status == 1
    assert "one writer" in output.replace("\n", " ")
    assert "mug_4" in memory
    memory.close()


def test_a_label_that_looks_like_markup_is_shown_as_it_is(file: Path) -> None:
    assert run("rename", file, "mug_4", "[/mug]") == (0, "")
    assert "[/mug]" in run("list", file)[1]
    assert "[/mug]" in run("show", file, "mug_4")[1]
    status, output = run("forget", file, "[/red]")
    assert status == 1
    assert "[/red]" in output
