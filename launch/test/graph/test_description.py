"""The graph is a value: what was chosen, or everything that stands against it in one message."""

from pathlib import Path
from typing import Any

import pytest

from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.problems import InvalidDeployment, Problem
from openral_bringup.graph.resources import rskill_folders

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def graph_of(**choices: Any) -> Any:
    return build_graph(DeploymentOptions(scene=SCENE, **choices), RSKILLS)


def test_the_embedded_graph_has_every_node_in_its_namespace() -> None:
    assert [node.qualified for node in graph_of().nodes] == [
        "/sim",
        "/openral/perception/home_tiny/detector",
        "/openral/perception/home_tiny_locator/detector",
        "/world_state",
        "/reasoner",
        "/bringup",
    ]


def test_the_mapper_is_added_only_where_it_is_asked_for() -> None:
    assert "mapper" not in [node.name for node in graph_of().nodes]
    (mapper,) = [
        node for node in graph_of(mapper=True, cameras=("front=/base/front",)).nodes if node.name == "mapper"
    ]
    assert (mapper.level, mapper.parameters["cameras"]) == (1, ["front"])
    assert mapper.remaps["/front/depth"] == "/base/front/depth"


def test_bring_up_manages_every_other_node_level_by_level() -> None:
    *nodes, bringup = graph_of().nodes
    assert bringup.parameters["nodes"] == [f"{node.level}:{node.qualified}" for node in nodes]
    assert [node.level for node in nodes] == sorted(node.level for node in nodes)


def test_a_namespace_moves_the_whole_graph_and_its_cameras() -> None:
    graph = graph_of(namespace="/robot1")
    assert all(node.qualified.startswith("/robot1/") for node in graph.nodes)
    assert graph.nodes[1].parameters["cameras"] == ["head:=/robot1/head", "wrist:=/robot1/wrist"]


def test_who_publishes_images_has_room_for_them_unless_the_user_chose_otherwise() -> None:
    profile = "FASTRTPS_DEFAULT_PROFILES_FILE"

    def variables(**environment: str) -> dict[str, dict[str, str]]:
        nodes = build_graph(DeploymentOptions(scene=SCENE), RSKILLS, environment).nodes
        return {node.key: dict(node.variables) for node in nodes if node.variables}

    (given,) = variables()["sim"].values()
    assert variables() == {"sim": {profile: given}}
    assert "<segment_size>" in Path(given).read_text()
    assert variables(RMW_IMPLEMENTATION="rmw_fastrtps_cpp") == variables()
    assert variables(RMW_IMPLEMENTATION="rmw_cyclonedds_cpp") == {}
    assert variables(**{profile: "mine.xml"}) == variables(FASTDDS_DEFAULT_PROFILES_FILE="mine.xml") == {}


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("map: nowhere.yaml")
    choices = DeploymentOptions(
        scene=scene,
        continuous=("yolo", "sim-locator"),
        on_demand=("sim-locator", "sim-locator"),
        overrides={"arm": {"x": 1}},
    )
    with pytest.raises(InvalidDeployment) as refused:
        build_graph(choices, RSKILLS)
    reported = str(refused.value)
    assert "unknown detector 'yolo': expected one of" in reported
    assert "--continuous sim-locator: this detector is on_demand; choose it with --on-demand" in reported
    assert "detector 'sim-groundtruth-locator' is chosen twice" in reported
    assert "--set arm.…: no such node; nodes are" in reported
    assert "key 'map' must name a map file, found 'nowhere.yaml'" in reported


def test_a_namespace_has_its_own_clock_transforms_and_diagnostics() -> None:
    graph = graph_of(namespace="/robot1")
    assert all(node.remaps["/clock"] == "/robot1/clock" for node in graph.nodes)
    assert all(node.remaps["/tf_static"] == "/robot1/tf_static" for node in graph.nodes)
    assert not any(node.remaps for node in graph_of().nodes)


def test_a_host_starts_only_its_own_nodes_and_bring_up_still_knows_all() -> None:
    graph = graph_of(run=("reasoner", "bringup"))
    assert [node.key for node in graph.started] == ["reasoner", "bringup"]
    assert graph.nodes[-1].parameters["nodes"] == graph_of().nodes[-1].parameters["nodes"]


def test_what_is_misnamed_does_not_hide_the_rest() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(namespace="robot1", cameras=("1head",), gpu_budget_mb=20.0, run=("arm",), brain="openai")
    reported = str(refused.value)
    for word in (
        "--namespace robot1",
        "--camera 1head",
        "--gpu-budget-mb 20",
        "--run arm",
        "--brain openai",
    ):
        assert word in reported


def test_what_the_machine_lacks_is_told_with_the_rest() -> None:
    def lacking(nodes: Any) -> list[Problem]:
        return [Problem(f"nothing for {node.key}") for node in nodes if node.name == "detector"]

    with pytest.raises(InvalidDeployment) as refused:
        build_graph(DeploymentOptions(scene=SCENE, namespace="robot1"), RSKILLS, requirements=lacking)
    assert [line for line in refused.value.problems if str(line) == "nothing for home_tiny"]
    assert len(refused.value.problems) == 3


def test_what_was_found_before_is_told_with_the_rest() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        build_graph(
            DeploymentOptions(scene=Path(), run=("arm",)), RSKILLS, earlier=[Problem("no such scene")]
        )
    assert str(refused.value.problems[0]) == "no such scene"
    assert len(refused.value.problems) == 2


def test_a_users_own_rskills_reach_every_node_that_reads_rskills(
    own_rskills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_rskills.parent)
    folders = rskill_folders(["mine"])
    graph = build_graph(
        DeploymentOptions(scene=SCENE, continuous=("mine",), on_demand=("sim-locator",)), folders
    )
    by_key = {node.key: node.parameters for node in graph.nodes}
    assert by_key["my_finder"]["rskill"] == "my-finder"
    for key in ("my_finder", "reasoner", "sim"):
        assert by_key[key]["rskill_folders"] == [str(folders[0]), str(own_rskills)]


@pytest.mark.parametrize(("asked", "word"), [(True, "1"), (False, None)])
def test_field_types_are_checked_in_every_node_when_that_is_asked_for(asked: bool, word: str | None) -> None:
    nodes = graph_of(check_fields=asked).nodes
    assert {node.environment({}).get("ROS_PYTHON_CHECK_FIELDS") for node in nodes} == {word}
