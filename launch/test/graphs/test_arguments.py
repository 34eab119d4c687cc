"""Launch arguments spell the same choices as the command line."""

from pathlib import Path

import pytest

from openral_bringup.graphs import Choices
from openral_bringup.graphs.arguments import ARGUMENTS, Argument, choices_from

SCENE = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"


def words(**changed: str) -> dict[str, str]:
    return {argument.name: argument.default for argument in ARGUMENTS} | {"scene": str(SCENE)} | changed


def test_the_defaults_are_those_of_the_choices() -> None:
    assert choices_from(words()) == Choices(scene=SCENE)


def test_lists_are_separated_by_commas() -> None:
    assert choices_from(words(on_demand="a, b")).on_demand == ("a", "b")


def test_a_word_of_the_wrong_type_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="seed"):
        choices_from(words(seed="many"))


@pytest.mark.parametrize("argument", ARGUMENTS, ids=lambda each: each.name)
def test_every_argument_is_described_and_its_default_is_a_valid_choice(argument: Argument) -> None:
    assert argument.description
    assert argument.choices is None or argument.default in argument.choices
