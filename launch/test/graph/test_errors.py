"""Problems of a deployment are collected, and one message lists all of them."""

from pathlib import Path

import pytest

from openral_bringup.graph.errors import InvalidDeployment, Problems
from openral_core.documents import InvalidDocument


def test_the_message_lists_every_problem_on_a_line_of_its_own() -> None:
    error = InvalidDeployment(["no scene", "no brain"])
    assert str(error) == "Cannot bring up this graph:\n  - no scene\n  - no brain"
    assert error.problems == ("no scene", "no brain")


def test_an_attempt_that_succeeds_returns_its_value_and_no_problem() -> None:
    problems = Problems(["found before"])
    assert problems.attempt(lambda: 3, 0) == 3
    assert problems.found == ["found before"]


def test_a_failed_attempt_returns_the_fallback_and_keeps_the_reason() -> None:
    problems = Problems()

    def read() -> int:
        raise InvalidDocument(Path("scene.yaml"), ["missing key 'map'"])

    assert problems.attempt(read, 0) == 0
    assert problems.found == ["scene.yaml: missing key 'map'"]


def test_the_problems_of_an_invalid_deployment_are_kept_one_by_one() -> None:
    problems = Problems(["a"])

    def check() -> int:
        raise InvalidDeployment(["b", "c"])

    assert problems.attempt(check, 0) == 0
    assert problems.found == ["a", "b", "c"]


def test_an_error_of_another_kind_is_not_taken_for_a_problem_of_the_user() -> None:
    problems = Problems()
    with pytest.raises(ZeroDivisionError):
        problems.attempt(lambda: 1 // 0, 0)
    assert problems.found == []
