"""Launch arguments spell the same choices as the command line."""

from pathlib import Path

import pytest

from openral_bringup.graph.description import build_graph
from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.launch_arguments import (
    ARGUMENTS,
    Argument,
    in_launch_spelling,
    options_from_launch,
    unknown_arguments,
)
from openral_bringup.graph.options import DeploymentOptions

ROOT = Path(__file__).parents[3]
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
        build_graph(choices, [ROOT / "rskills"], known_problems=problems)
    told = in_launch_spelling(refused.value.problems, given)
    for begin in (
        "seed:=many: ",
        "gpu_budget_mb:=lots: ",
        "scene 'nowhere'",
        "set:=sim: ",
        "namespace:=robot1: ",
        "run:=nonsense: ",
    ):
        assert [line for line in told if line.startswith(begin)], (begin, told)
    assert not [line for line in told if "--" in line or "https://" in line]


def test_parameters_are_set_as_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("sim: {seed: 3, shadows: true}")
    choices, problems = options_from_launch(words(params=str(file), set="sim.seed=4; reasoner.candidates=2"))
    assert not problems
    assert choices.overrides == {"sim": {"seed": 4, "shadows": True}, "reasoner": {"candidates": 2}}


def test_a_quoted_command_keeps_its_own_flags() -> None:
    (told,) = in_launch_spelling(
        ["--on-demand x: run `openral weights fetch x --weights-dir w`"], ["on_demand", "weights_dir"]
    )
    assert told == "on_demand:=x: run `openral weights fetch x --weights-dir w`"


def test_a_misspelt_argument_is_told_with_the_one_that_was_meant() -> None:
    (line,) = unknown_arguments([*words(), "seeed"])
    assert line.startswith("seeed:= is not an argument")
    assert "did you mean seed:=?" in line


@pytest.mark.parametrize("argument", ARGUMENTS, ids=lambda each: each.name)
def test_every_argument_is_described_and_its_default_is_a_valid_choice(argument: Argument) -> None:
    assert argument.description
    assert argument.choices is None or argument.default in argument.choices
