"""The graph is a value: what was chosen, or everything that stands against it in one message."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from openral_bringup.graphs import Choices, ImpossibleChoices, describe

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def graph_of(**choices: Any) -> Any:
    return describe(Choices(scene=SCENE, **choices), RSKILLS)


def test_the_embedded_graph_has_every_node_in_its_namespace() -> None:
    assert [node.qualified for node in graph_of().nodes] == [
        "/sim",
        "/openral/perception/sim_groundtruth/detector",
        "/openral/perception/sim_groundtruth_locator/detector",
        "/world_state",
        "/reasoner",
        "/bringup",
    ]


def test_bring_up_manages_every_other_node_level_by_level() -> None:
    graph = graph_of()
    assert graph.nodes[-1].parameters["nodes"] == [f"{n.level}:{n.qualified}" for n in graph.nodes[:-1]]
    assert [node.level for node in graph.managed] == sorted(node.level for node in graph.managed)


def test_only_the_first_locator_is_the_default_one() -> None:
    graph = graph_of(continuous=("sim-groundtruth",), on_demand=("sim-locator",))
    defaults = {
        node.key: node.parameters.get("default") for node in graph.nodes if "perception" in node.namespace
    }
    assert defaults == {"sim_groundtruth": False, "sim_groundtruth_locator": True}


def test_a_namespace_moves_the_whole_graph_and_its_cameras() -> None:
    graph = graph_of(namespace="/robot1")
    assert all(node.qualified.startswith("/robot1/") for node in graph.nodes)
    assert graph.nodes[1].parameters["cameras"] == ["head:=/robot1/head", "wrist:=/robot1/wrist"]


def test_parameters_set_by_hand_win() -> None:
    graph = graph_of(seed=3, overrides={"sim": {"seed": 9}, "sim_groundtruth": {"rate": 2.0}})
    by_key = {node.key: node.parameters for node in graph.nodes}
    assert (by_key["sim"]["seed"], by_key["sim_groundtruth"]["rate"]) == (9, 2.0)
    assert by_key["sim_groundtruth"]["seed"] == 3


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("map: nowhere.yaml")
    choices = Choices(
        scene=scene,
        continuous=("yolo", "sim-locator"),
        on_demand=("sim-locator", "sim-locator"),
        overrides={"arm": {"x": 1}},
    )
    with pytest.raises(ImpossibleChoices) as refused:
        describe(choices, RSKILLS)
    told = str(refused.value)
    assert "unknown detector 'yolo': known are" in told
    assert "--continuous sim-locator: this detector is on_demand; choose it with --on-demand" in told
    assert "detector 'sim-groundtruth-locator' is chosen twice" in told
    assert "--set arm.…: no such node; nodes are" in told
    assert "key 'map' must name a map file, found 'nowhere.yaml'" in told


def test_a_licence_must_be_accepted_by_its_word(tmp_path: Path) -> None:
    folder = tmp_path / "rskills" / "grounder"
    folder.mkdir(parents=True)
    manifest = yaml.safe_load((RSKILLS[0] / "sim-groundtruth-locator" / "rskill.yaml").read_text())
    licence = {"name": "Some non-commercial", "commercial_use": False, "accept": "some-nc"}
    manifest |= {"id": "grounder", "aliases": [], "licence": licence}
    (folder / "rskill.yaml").write_text(yaml.safe_dump(manifest))
    folders = [*RSKILLS, folder.parent]
    chosen = Choices(scene=SCENE, on_demand=("grounder",))
    with pytest.raises(ImpossibleChoices, match="to use it say --accept-licence some-nc"):
        describe(chosen, folders)
    accepted = chosen.model_copy(update={"accepted_licences": ("some-nc",)})
    assert "/openral/perception/grounder/detector" in {
        node.qualified for node in describe(accepted, folders).nodes
    }
