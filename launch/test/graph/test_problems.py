"""Problems of a deployment: collected, and spelled where they are shown."""

from pathlib import Path

import pytest

from openral_bringup.graph.problems import Flag, InvalidDeployment, InvalidOption, Problem, Problems
from openral_core.documents import InvalidDocument


def test_the_message_lists_every_problem_on_a_line_of_its_own() -> None:
    error = InvalidDeployment([Problem("no scene"), Problem(Flag("brain", "x"), ": none")])
    assert str(error) == "Cannot bring up this graph:\n  - no scene\n  - --brain x: none"
    assert list(map(str, error.problems)) == ["no scene", "--brain x: none"]


def test_the_flags_of_a_problem_are_spelled_where_it_is_shown() -> None:
    problem = Problem(Flag("on_demand", "x"), ": add ", Flag("mapper"), ", or `run --on-demand y`")
    assert str(problem) == "--on-demand x: add --mapper, or `run --on-demand y`"
    assert (
        problem.spelled(lambda flag: f"<{flag.name}>") == "<on_demand>: add <mapper>, or `run --on-demand y`"
    )


def test_the_problem_of_one_option_keeps_its_flag() -> None:
    problems = Problems()

    def parse() -> int:
        raise InvalidOption(Flag("camera", "1head"), ": expected an id")

    assert problems.attempt(parse, 0) == 0
    assert [problem.parts[0] for problem in problems.collected] == [Flag("camera", "1head")]


def test_an_attempt_that_succeeds_returns_its_value_and_no_problem() -> None:
    problems = Problems([Problem("found before")])
    assert problems.attempt(lambda: 3, 0) == 3
    assert list(map(str, problems.collected)) == ["found before"]


def test_a_failed_attempt_returns_the_fallback_and_keeps_the_reason() -> None:
    problems = Problems()

    def read() -> int:
        raise InvalidDocument(Path("scene.yaml"), ["missing key 'map'"])

    assert problems.attempt(read, 0) == 0
    assert list(map(str, problems.collected)) == ["scene.yaml: missing key 'map'"]


def test_the_problems_of_an_invalid_deployment_are_kept_one_by_one() -> None:
    problems = Problems([Problem("a")])

    def check() -> int:
        raise InvalidDeployment([Problem("b"), Problem("c")])

    assert problems.attempt(check, 0) == 0
    assert list(map(str, problems.collected)) == ["a", "b", "c"]


def test_an_error_of_another_kind_is_not_taken_for_a_problem_of_the_user() -> None:
    problems = Problems()
    with pytest.raises(ZeroDivisionError):
        problems.attempt(lambda: 1 // 0, 0)
    assert problems.collected == []
