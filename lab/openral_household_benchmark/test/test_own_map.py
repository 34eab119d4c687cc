"""A simulated robot that is told nothing of its home."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.rskills import Registry, Verb
from openral_core.spatial_memory import NodeKind
from openral_household_benchmark.choices import HomeKnowledge, TaskType
from openral_household_benchmark.cli import commands
from openral_household_benchmark.environment import DetectorPair, robot_without_map
from openral_household_benchmark.episode import RunOptions, run_job, visit_folder
from openral_household_benchmark.own_map import OwnMap, body_lines_of
from openral_household_benchmark.results import Job
from openral_reasoner.context import Context, Decision, RawCall
from openral_sim.planning.perceived_floor import PerceivedFloor


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of six seconds in a studio, left as those of an exploration are."""
    folder = visit_folder(tmp_path_factory.mktemp("tasks"), "studio", 5) / "left"
    folder.mkdir(parents=True)
    registry = Registry.load(rskill_folders(()))
    with robot_without_map(
        scene_path("studio"), 5, registry, DetectorPair(), folder, explored=False
    ) as robot:
        assert Verb.EXPLORE in robot.simulation.served
        assert not robot.memory.graph().nodes, "nothing is told"
        while robot.simulation.time < 6.0:
            robot.simulation.advance()
            robot.after_period()
        lines = body_lines_of(robot.simulation.world, robot.simulation.control)
        base = robot.simulation.control.base_pose[:2]
        assert np.linalg.norm(lines[..., :2] - base, axis=-1).max() < 1.2
        assert robot.own_map is not None
        robot.own_map.save(folder)
    return folder


def test_floor_rooms_and_furniture_are_there_again_after_a_restart(visit: Path, tmp_path: Path) -> None:
    floor = PerceivedFloor()
    OwnMap(floor, visit)
    free, resolution = floor.map().free, floor.map().resolution
    assert free.sum() * resolution**2 > 3.0
    registry = Registry.load(rskill_folders(()))
    with robot_without_map(scene_path("studio"), 5, registry, DetectorPair(), visit, explored=True) as robot:
        nodes = robot.memory.graph()
        assert nodes.of_kind(NodeKind.ROOM)
        assert any(node.source == "map" for node in nodes.of_kind(NodeKind.OBJECT)), "furniture"


def test_a_task_begins_with_the_map_that_the_visit_left(visit: Path) -> None:
    out, job = visit.parents[1], Job(TaskType.FIND, 5, "studio")

    def give_up(_: Context) -> Decision:
        return Decision(calls=(RawCall(tool="done", arguments='{"success": false, "message": "I give up"}'),))

    registry, options = Registry.load(rskill_folders(())), RunOptions(home=HomeKnowledge.EXPLORED)
    outcome = run_job(job, registry, give_up, out / job.key, options)
    assert (outcome.success, outcome.state) == (False, "FAILED")
    assert (out / job.key / "left" / "map.npz").read_bytes() == (visit / "map.npz").read_bytes()


def test_the_whole_graph_is_refused_without_the_map_of_the_scene(tmp_path: Path) -> None:
    asked = CliRunner().invoke(
        commands, ["bench", "household", "--graph", "--map", "none", "--out", str(tmp_path)]
    )
    assert asked.exit_code == 2
    assert "--graph knows the map of the scene alone" in " ".join(asked.output.replace("│", " ").split())
