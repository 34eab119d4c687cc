"""Specification of a node: its names, its entry in bring-up's list and its environment."""

from pathlib import Path
from typing import Any

import pytest

from openral_bringup.graph import nodes
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.nodes import NodeSpec, defaults, model_of, overridden, overrides_of, unknown
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.problems import Flag, InvalidDeployment, Problem
from openral_bringup.graph.resources import NotInstalled
from openral_core.documents import InvalidDocument
from openral_sim.ros.parameters import SimParameters

DETECTOR = NodeSpec("detector", "openral_perception_ros", "detector", "/robot1/openral/perception/finder", 1)


@pytest.mark.parametrize(
    ("namespace", "qualified"), [("", "/sim"), ("/", "/sim"), ("/robot1", "/robot1/sim"), ("/a/", "/a/sim")]
)
def test_a_qualified_name_has_exactly_one_slash_between_its_parts(namespace: str, qualified: str) -> None:
    assert NodeSpec("sim", "openral_sim", "sim", namespace).qualified == qualified


def test_a_detector_is_addressed_by_its_slug_and_any_other_node_by_its_name() -> None:
    assert DETECTOR.key == "finder"
    assert NodeSpec("sim", "openral_sim", "sim", "/robot1").key == "sim"


def test_bring_up_is_given_the_level_and_the_state_to_start_in() -> None:
    asleep = NodeSpec("sim", "openral_sim", "sim", level=0, awake=False)
    assert DETECTOR.managed_as == "1:/robot1/openral/perception/finder/detector"
    assert asleep.managed_as == "0:/sim=inactive"


def test_further_parameters_leave_the_original_node_unchanged() -> None:
    first = NodeSpec("sim", "openral_sim", "sim", parameters={"seed": 1, "shadows": True})
    second = first.with_parameters({"seed": 2, "rate": 5.0})
    assert second.parameters == {"seed": 2, "shadows": True, "rate": 5.0}
    assert first.parameters == {"seed": 1, "shadows": True}


def test_only_its_own_secrets_reach_a_node_and_its_variables_win() -> None:
    given = {"PATH": "/bin", "VENDOR_API_KEY": "secret", "OTHER_API_KEY": "secret", "ROS_DOMAIN_ID": "1"}
    node = NodeSpec("reasoner", "p", "e", variables={"ROS_DOMAIN_ID": "2"}, own=("VENDOR_*",))
    assert node.environment(given) == {"PATH": "/bin", "VENDOR_API_KEY": "secret", "ROS_DOMAIN_ID": "2"}
    assert "VENDOR_API_KEY" not in DETECTOR.environment(given)


ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def graph_of(**choices: Any) -> Any:
    return build_graph(DeploymentOptions(scene=SCENE, **choices), RSKILLS)


def test_parameters_of_the_user_win() -> None:
    graph = graph_of(seed=3, overrides={"sim": {"seed": 9}, "home_tiny": {"rate": 2.0}})
    by_key = {node.key: node.parameters for node in graph.nodes}
    assert (by_key["sim"]["seed"], by_key["home_tiny"]["rate"]) == (9, 2.0)
    assert by_key["home_tiny"]["seed"] == 3


def test_parameters_of_the_user_are_checked_before_anything_starts() -> None:
    overrides = {"reasoner": {"seconds": "long", "colour": 3}, "home_tiny": {"rate": -1.0}}
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(overrides=overrides)
    message = str(refused.value)
    assert "--set reasoner.seconds: Input should be a valid number" in message
    assert "--set reasoner.colour: Extra inputs are not permitted" in message
    assert "--set home_tiny.rate: Input should be greater than 0" in message


def test_a_node_to_run_here_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidDeployment, match=r"--run arm: no such node; nodes are .*'reasoner'"):
        graph_of(run=("arm",))


def test_settings_on_the_command_line_win_over_files(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("sim: {seed: 1, real_time_factor: 2.0}")
    assert overrides_of([file], ["sim.seed=5", "reasoner.brain=scripted"]) == {
        "sim": {"seed": 5, "real_time_factor": 2.0},
        "reasoner": {"brain": "scripted"},
    }


def test_a_setting_of_another_form_is_refused_with_an_example() -> None:
    with pytest.raises(InvalidDeployment, match=r"--set seed=3: expected node\.parameter=value"):
        overrides_of([], ["seed=3"])


def test_settings_without_a_node_or_a_parameter_are_all_reported() -> None:
    with pytest.raises(InvalidDeployment) as refused:
        overrides_of([], ["sim.seed", ".seed=1", "sim.=1", "=", "sim.seed=3"])
    assert len(refused.value.problems) == 4


def test_a_value_is_read_as_yaml_and_may_hold_equals_signs() -> None:
    read = overrides_of([], ["a.flag=true", "a.list=[x, y]", "a.text=b=c", "a.empty="])
    assert read == {"a": {"flag": True, "list": ["x", "y"], "text": "b=c", "empty": None}}


ROS_FILES = {
    "/reasoner:\n  ros__parameters:\n    seconds: 600.0": {"reasoner": 600.0},
    "reasoner:\n  ros__parameters:\n    seconds: 600.0": {"reasoner": 600.0},
    "/**:\n  ros__parameters:\n    seconds: 600.0\n    use_sim_time: false": {"reasoner": 600.0},
    "/*:\n  ros__parameters: {seconds: 600.0}": {"reasoner": 600.0},
    "/:\n  reasoner:\n    ros__parameters: {seconds: 600.0}": {"reasoner": 600.0},
    "/kitchen/reasoner:\n  ros__parameters: {seconds: 600.0}": {},
    "/**/detector:\n  ros__parameters: {rate: 0.7}": {"home_tiny": 0.7, "home_tiny_locator": 0.7},
    "openral:\n  perception:\n    home_tiny:\n      detector:\n        ros__parameters: {rate: 0.7}": {
        "home_tiny": 0.7
    },
    "/**:\n  ros__parameters: {seconds: 1.0}\n/reasoner:\n  ros__parameters: {seconds: 600.0}": {
        "reasoner": 600.0
    },
    "/reasoner:\n  ros__parameters:": {},
}


@pytest.mark.parametrize(("text", "expected"), ROS_FILES.items(), ids=range(len(ROS_FILES)))
def test_a_parameter_file_of_ros_sets_what_it_names(
    tmp_path: Path, text: str, expected: dict[str, float]
) -> None:
    (tmp_path / "ros.yaml").write_text(text)
    nodes = (
        NodeSpec("reasoner", "p", "e"),
        NodeSpec("detector", "p", "e", "/openral/perception/home_tiny"),
        NodeSpec("detector", "p", "e", "/openral/perception/home_tiny_locator"),
        NodeSpec("world_state", "p", "e"),
    )
    for given in (overrides_of([tmp_path / "ros.yaml"], []), overrides_of([], [str(tmp_path / "ros.yaml")])):
        problems: list[Problem] = []
        changed = overridden(nodes, given, problems)
        set_values = {
            node.key: value
            for node in changed
            for name, value in node.parameters.items()
            if name != "use_sim_time"
        }
        assert set_values == expected
        unknown_nodes = [text for text in map(str, problems) if "no such node" in text]
        assert all("/kitchen/reasoner" in text for text in unknown_nodes)
        assert bool(unknown_nodes) == ("kitchen" in text)


def test_parameters_that_ros_dumps_of_every_node_are_no_problem(tmp_path: Path) -> None:
    (tmp_path / "dump.yaml").write_text(
        "/reasoner:\n  ros__parameters:\n    start_type_description_service: true\n    use_sim_time: true\n"
        "    qos_overrides:\n      /clock:\n        subscription:\n          depth: 1\n    secnds: 1.0\n"
    )
    problems: list[Problem] = []
    reasoner = NodeSpec("reasoner", "p", "e", parameters={"rskill_folders": ["rskills"]})
    overridden((reasoner,), overrides_of([tmp_path / "dump.yaml"], []), problems)
    assert len(problems) == 1
    assert "reasoner.secnds" in str(problems[0])


def test_a_setting_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(InvalidDeployment, match=r"--set sim\.seed: while parsing a flow sequence"):
        overrides_of([], ["sim.seed=[1"])


def test_a_later_file_wins_parameter_by_parameter(tmp_path: Path) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("sim: {seed: 1, shadows: true}")
    second.write_text("sim: {seed: 2}")
    assert overrides_of([first, second], []) == {"sim": {"seed": 2, "shadows": True}}


def test_a_node_whose_value_is_no_mapping_is_refused_with_its_file(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("sim: 3")
    with pytest.raises(InvalidDeployment, match=f"--params {file}: 'sim' must map parameters .*found 3"):
        overrides_of([file], [])


def test_a_file_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match=r"nowhere\.yaml"):
        overrides_of([tmp_path / "nowhere.yaml"], [])


def test_defaults_are_listed_for_the_parameters_that_the_deployment_leaves() -> None:
    sim = NodeSpec("sim", "openral_sim", "sim", parameters={"seed": 3})
    left = defaults(sim)
    assert set(left) == set(SimParameters.model_fields) - {"seed"}
    assert left["shadows"] is False
    assert defaults(NodeSpec("camera_driver", "drivers", "camera")) == {}


def test_unknown_nodes_are_reported_once_each_in_order() -> None:
    nodes = (NodeSpec("sim", "openral_sim", "sim"),)
    problems = unknown({key: Flag("run", key) for key in ("leg", "sim", "arm", "leg")}, nodes)
    assert list(map(str, problems)) == [
        "--run arm: no such node; nodes are 'sim'",
        "--run leg: no such node; nodes are 'sim'",
    ]


def test_a_node_of_an_optional_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MODELS", {"mapper": "openral_left_out.ros.parameters:MapperParameters"})
    with pytest.raises(NotInstalled, match="openral_left_out"):
        model_of("mapper")
