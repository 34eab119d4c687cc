"""The graph is a value: what was chosen, or everything that stands against it in one message."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from openral_bringup import launch_description as launching
from openral_bringup.deploy.main import app
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.launch_arguments import ARGUMENTS
from openral_bringup.graph.options import DeploymentOptions, merged
from openral_bringup.graph.resources import rskill_folders
from openral_core.errors import OpenRALError

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def graph_of(**choices: Any) -> Any:
    return build_graph(DeploymentOptions(scene=SCENE, **choices), RSKILLS)


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


def test_parameters_set_by_hand_win() -> None:
    graph = graph_of(seed=3, overrides={"sim": {"seed": 9}, "sim_groundtruth": {"rate": 2.0}})
    by_key = {node.key: node.parameters for node in graph.nodes}
    assert (by_key["sim"]["seed"], by_key["sim_groundtruth"]["rate"]) == (9, 2.0)
    assert by_key["sim_groundtruth"]["seed"] == 3


@pytest.mark.parametrize(
    ("brain", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")]
)
def test_a_brain_without_model_or_key_is_refused_before_anything_starts(brain: str, variable: str) -> None:
    bare, named = (DeploymentOptions(scene=SCENE, brain=brain, model=model) for model in ("", "some-model"))
    with pytest.raises(InvalidDeployment, match=f"--model.*\n.*{variable}"):
        build_graph(bare, RSKILLS, environment={})
    with pytest.raises(InvalidDeployment, match=variable):
        build_graph(named, RSKILLS, environment={})
    assert build_graph(named, RSKILLS, environment={variable: "secret"}).nodes
    local = DeploymentOptions(
        scene=SCENE, brain=brain, model="some-model", base_url="http://127.0.0.1:11434/v1"
    )
    assert build_graph(local, RSKILLS, environment={}).nodes


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
    told = str(refused.value)
    assert "unknown detector 'yolo': expected one of" in told
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
    chosen = DeploymentOptions(scene=SCENE, on_demand=("grounder",))
    with pytest.raises(InvalidDeployment, match="to use it, add --accept-licence some-nc"):
        build_graph(chosen, folders)
    accepted = chosen.model_copy(update={"accepted_licences": ("some-nc",)})
    assert "/openral/perception/grounder/detector" in {
        node.qualified for node in build_graph(accepted, folders).nodes
    }


def test_a_namespace_has_its_own_clock_transforms_and_diagnostics() -> None:
    graph = graph_of(namespace="/robot1")
    assert all(node.remaps["/clock"] == "/robot1/clock" for node in graph.nodes)
    assert all(node.remaps["/tf_static"] == "/robot1/tf_static" for node in graph.nodes)
    assert not any(node.remaps for node in graph_of().nodes)


def test_a_camera_elsewhere_is_listened_to_there_and_a_new_one_is_added() -> None:
    graph = graph_of(cameras=merged(["head=/front/cam/image_raw", "door=/door"]))
    by_key = {node.key: node for node in graph.nodes}
    heard = by_key["sim_groundtruth"].parameters["cameras"]
    assert heard == ["head:=/front/cam", "wrist:=/wrist", "door:=/door"]
    assert by_key["world_state"].parameters["cameras"] == ["head", "wrist", "door"]
    assert by_key["world_state"].remaps["/head/depth"] == "/front/cam/depth"
    assert "/wrist/depth" not in by_key["world_state"].remaps


@pytest.mark.parametrize("word", ["", "head=", "head=front", "1=/a", "head=/a/"])
def test_words_that_are_no_camera_are_refused(word: str) -> None:
    with pytest.raises(InvalidDeployment, match="expected an id, or id=/topics"):
        graph_of(cameras=(word,))


def test_what_does_not_fit_the_budget_together_is_left_asleep_for_the_reasoner_to_wake() -> None:
    graph = graph_of(gpu_budget_mb=150.0)
    assert [n.key for n in graph.nodes if not n.awake] == ["sim_groundtruth_locator"]
    assert (
        "1:/openral/perception/sim_groundtruth_locator/detector=inactive"
        in graph.nodes[-1].parameters["nodes"]
    )
    assert {n.key: n for n in graph.nodes}["reasoner"].parameters["gpu_budget_mb"] == 150.0
    assert all(node.awake for node in graph_of(gpu_budget_mb=1000.0).nodes)


def test_a_budget_too_small_for_any_locator_is_refused() -> None:
    with pytest.raises(InvalidDeployment, match=r"too small for any locator: .*sim-groundtruth-locator"):
        graph_of(gpu_budget_mb=10.0)


def test_locate_anything_needs_its_licence_accepted() -> None:
    with pytest.raises(InvalidDeployment, match="to use it, add --accept-licence nvidia-non-commercial"):
        graph_of(locate_anything=True)
    graph = graph_of(locate_anything=True, accepted_licences=("nvidia-non-commercial",))
    keys = [node.key for node in graph.nodes]
    assert {"sim_groundtruth_locator", "locateanything_3b_nf4"} <= set(keys)


def test_a_host_starts_only_its_own_nodes_and_bring_up_still_knows_all() -> None:
    graph = graph_of(run=("reasoner", "bringup"))
    assert [node.key for node in graph.started] == ["reasoner", "bringup"]
    assert graph.nodes[-1].parameters["nodes"] == graph_of().nodes[-1].parameters["nodes"]


def test_a_node_that_is_to_run_here_and_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidDeployment, match=r"--run arm: no such node; nodes are .*'reasoner'"):
        graph_of(run=("arm",))


def test_parameters_set_by_hand_are_checked_before_anything_starts() -> None:
    overrides = {"reasoner": {"seconds": "long", "colour": 3}, "sim_groundtruth": {"rate": -1.0}}
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(overrides=overrides)
    told = str(refused.value)
    assert "--set reasoner.seconds: Input should be a valid number" in told
    assert "--set reasoner.colour: Extra inputs are not permitted" in told
    assert "--set sim_groundtruth.rate: Input should be greater than 0" in told


@pytest.mark.parametrize(
    ("camera", "refused"), [("head", True), ("head=/head", True), ("head=/front/cam", False)]
)
def test_compressed_images_of_the_simulation_are_refused(camera: str, refused: bool) -> None:
    choices = {"overrides": {"sim_groundtruth": {"compressed": True}}, "cameras": (camera,)}
    if not refused:
        assert graph_of(**choices)
        return
    with pytest.raises(InvalidDeployment, match="the simulation publishes no head/image_raw/compressed"):
        graph_of(**choices)


def test_what_is_misnamed_does_not_hide_the_rest() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(namespace="robot1", cameras=("1head",), gpu_budget_mb=20.0, run=("arm",), brain="openai")
    told = "\n".join(refused.value.problems)
    for word in (
        "--namespace robot1",
        "--camera 1head",
        "--gpu-budget-mb 20",
        "--run arm",
        "--brain openai",
    ):
        assert word in told


def test_what_the_machine_lacks_is_told_with_the_rest() -> None:
    def lacking(graph: Any) -> list[str]:
        return [f"nothing for {node.key}" for node in graph.started if node.name == "detector"]

    with pytest.raises(InvalidDeployment) as refused:
        build_graph(DeploymentOptions(scene=SCENE, namespace="robot1"), RSKILLS, requirements=lacking)
    assert [line for line in refused.value.problems if line == "nothing for sim_groundtruth"]
    assert len(refused.value.problems) == 3


def test_misnamed_cameras_and_namespace_are_told_together() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(namespace="robot1", cameras=("1head", "wrist=relative"))
    assert len(refused.value.problems) == 3


def test_what_was_found_before_is_told_with_the_rest() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        build_graph(DeploymentOptions(scene=Path(), run=("arm",)), RSKILLS, known_problems=["no such scene"])
    assert refused.value.problems[0] == "no such scene"
    assert len(refused.value.problems) == 2


def test_the_reasoner_is_told_whom_to_ask_first() -> None:
    def told(**choices: Any) -> object:
        return next(
            n.parameters["default_detector"] for n in graph_of(**choices).nodes if n.name == "reasoner"
        )

    assert told() == "sim-groundtruth-locator"
    assert told(on_demand=("sim-locator",), continuous=("sim-groundtruth",)) == "sim-groundtruth-locator"
    assert told(continuous=("sim-groundtruth",)) == ""


@pytest.fixture
def own_rskills(tmp_path: Path) -> Path:
    folder = tmp_path / "mine" / "my-finder"
    folder.mkdir(parents=True)
    manifest = (RSKILLS[0] / "sim-groundtruth" / "rskill.yaml").read_text()
    manifest = manifest.replace("id: sim-groundtruth", "id: my-finder").replace("[sim-gt]", "[mine]")
    (folder / "rskill.yaml").write_text(manifest)
    shutil.copy(RSKILLS[0] / "sim-groundtruth" / "vocabulary.yaml", folder)
    return folder.parent


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


def test_a_folder_without_rskills_is_told(tmp_path: Path) -> None:
    with pytest.raises(OpenRALError, match=f"--rskills {tmp_path}: no <id>/rskill.yaml in this folder"):
        rskill_folders([tmp_path])


def test_the_command_line_and_the_launch_file_take_the_users_own_rskills(
    own_rskills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "occupy", lambda *_: 0)
    chosen = ["--rskills", str(own_rskills), "--continuous", "my-finder", "--on-demand", "sim-locator"]
    done = CliRunner().invoke(app, ["--dry-run", *chosen], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    assert "my_finder" in done.output
    words = {a.name: a.default for a in ARGUMENTS}
    words |= {"rskills": str(own_rskills), "continuous": "my-finder", "domain_id": "auto"}
    assert "my_finder" in {node.key for node in launching.prepare(words, ()).graph.nodes}
    with pytest.raises(InvalidDeployment, match=r"rskills:=/none: no <id>/rskill.yaml"):
        launching.prepare(words | {"rskills": "/none"}, ())


@pytest.mark.parametrize(("asked", "word"), [(True, "1"), (False, None)])
def test_field_types_are_checked_in_every_node_when_that_is_asked_for(asked: bool, word: str | None) -> None:
    nodes = graph_of(check_fields=asked).nodes
    assert {node.environment({}).get("ROS_PYTHON_CHECK_FIELDS") for node in nodes} == {word}
