"""Launch of a graph: its arguments, the domain it claims and the lines for the operator."""

from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from openral_bringup import launch_description as launching
from openral_bringup.deploy.main import app
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import DeploymentOptions
from openral_bringup.graph.problems import Flag, InvalidDeployment
from openral_bringup.launch_description import (
    ARGUMENTS,
    ROBOT_ARGUMENTS,
    Argument,
    launch_spelling,
    options_from_launch,
    unknown_arguments,
)


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


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int | None, list[str]]]:
    """Record the domain and the node names of every claim; each is granted domain 7."""
    claims: list[tuple[int | None, list[str]]] = []

    def occupy(asked: int | None, names: list[str]) -> int:
        claims.append((asked, names))
        return 7

    monkeypatch.setattr(launching, "occupy", occupy)
    return claims


def arguments(**changed: str) -> dict[str, str]:
    return {argument.name: argument.default for argument in ARGUMENTS} | changed


Claims = list[tuple[int | None, list[str]]]


def test_the_names_of_all_started_nodes_are_claimed_in_the_given_domain(claimed: Claims) -> None:
    prepared = launching.prepare(arguments(domain_id="7", namespace="/robot1"), ())
    assert claimed == [(7, [node.qualified for node in prepared.graph.started])]
    assert prepared.variables == {"ROS_DOMAIN_ID": "7"}
    assert "every node: environment ROS_DOMAIN_ID=7" in prepared.lines


def test_without_a_domain_argument_the_nodes_keep_the_environments_domain(claimed: Claims) -> None:
    prepared = launching.prepare(arguments(domain_id=""), ())
    assert len(claimed) == 1
    assert prepared.variables == {}
    assert not any("ROS_DOMAIN_ID" in line for line in prepared.lines)


def test_an_invalid_graph_claims_no_domain_and_names_every_problem(claimed: Claims) -> None:
    with pytest.raises(InvalidDeployment) as refused:
        launching.prepare(arguments(domain_id="7", run="arm", seed="many"), ())
    assert claimed == []
    message = str(refused.value)
    assert "run:=arm" in message
    assert "seed:=many" in message


def test_a_misspelt_argument_is_reported_to_the_operator(claimed: Claims) -> None:
    prepared = launching.prepare(arguments(), ("scene", "brian"))
    assert any("brian" in line for line in prepared.lines)


ROOT = Path(__file__).parents[2]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"


def words(**changed: str) -> dict[str, str]:
    return {argument.name: argument.default for argument in ARGUMENTS} | {"scene": str(SCENE)} | changed


def test_the_defaults_are_those_of_the_choices() -> None:
    assert options_from_launch(words()) == (DeploymentOptions(scene=SCENE), [])


def test_lists_are_separated_by_commas() -> None:
    assert options_from_launch(words(on_demand="a, b"))[0].on_demand == ("a", "b")


def test_everything_that_is_wrong_is_told_by_name_in_one_message() -> None:
    given = words(
        seed="many", gpu_budget_mb="lots", scene="nowhere", set="sim", namespace="robot1", run="nonsense"
    )
    choices, problems = options_from_launch(given)
    with pytest.raises(InvalidDeployment) as refused:
        build_graph(choices, [ROOT / "rskills"], earlier=problems)
    reported = [each.spelled(partial(launch_spelling, arguments=given)) for each in refused.value.problems]
    for begin in (
        "seed:=many: ",
        "gpu_budget_mb:=lots: ",
        "scene 'nowhere'",
        "set:=sim: ",
        "namespace:=robot1: ",
        "run:=nonsense: ",
    ):
        assert [line for line in reported if line.startswith(begin)], (begin, reported)
    assert not [line for line in reported if "--" in line or "https://" in line]


def test_parameters_are_set_as_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("sim: {seed: 3, shadows: true}")
    choices, problems = options_from_launch(words(params=str(file), set="sim.seed=4; reasoner.candidates=2"))
    assert not problems
    assert choices.overrides == {"sim": {"seed": 4, "shadows": True}, "reasoner": {"candidates": 2}}


def test_a_flag_without_an_argument_keeps_its_spelling() -> None:
    flags = (Flag("on_demand", "x"), Flag("camera", "head=/x"), Flag("mapper"), Flag("namespace", "/robot2"))
    assert [launch_spelling(flag, ["on_demand", "cameras", "mapper"]) for flag in flags] == [
        "on_demand:=x",
        "cameras:=head=/x",
        "mapper:=",
        "--namespace /robot2",
    ]


def test_a_misspelt_argument_is_told_with_the_one_that_was_meant() -> None:
    (line,) = unknown_arguments([*words(), "seeed"], words())
    assert line.startswith("seeed:= is not an argument")
    assert "did you mean seed:=?" in line


ROBOT = ROOT / "robots" / "shelf_camera.yaml"


def robot_words(**changed: str) -> dict[str, str]:
    return {argument.name: argument.default for argument in ROBOT_ARGUMENTS} | {"robot": str(ROBOT)} | changed


def test_a_real_robot_has_the_same_arguments_but_for_those_of_the_simulation() -> None:
    simulated = {argument.name for argument in ARGUMENTS}
    real = {argument.name for argument in ROBOT_ARGUMENTS}
    assert simulated - real == {
        "scene",
        "cameras",
        "namespace",
        "seed",
        "real_time_factor",
        "sensors",
        "floor",
        "drift",
    }
    assert not real - simulated
    assert "robot" in real & simulated


def test_the_cameras_of_a_real_robot_are_those_of_its_file() -> None:
    options, problems = options_from_launch(robot_words())
    assert not problems
    assert (options.cameras, options.robot, options.simulated) == (("shelf",), ROBOT, False)


def test_a_robot_that_does_not_exist_is_told() -> None:
    _, (problem,) = options_from_launch(robot_words(robot=str(ROOT / "robots" / "README.md")))
    assert "README.md" in str(problem)


@pytest.mark.parametrize("argument", ARGUMENTS, ids=lambda item: item.name)
def test_every_argument_is_described_and_its_default_is_a_valid_choice(argument: Argument) -> None:
    assert argument.description
    assert argument.choices is None or argument.default in argument.choices
