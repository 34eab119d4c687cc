"""Values of commands are checked before anything is sent."""

import pytest

pytest.importorskip("rclpy")

from openral_console.ros.commands import number_of, text_of
from openral_console.source import RejectedCommand


@pytest.mark.parametrize(
    "values", [{}, {"a": ""}, {"a": " "}, {"a": 1}, {"a": None}, {"a": ["x"]}, {"a": "x" * 11}, [], "a"]
)
def test_what_is_no_text_is_refused(values: object) -> None:
    with pytest.raises(RejectedCommand, match="expected text of 1 to 10 characters"):
        text_of(values, "a", 10)


def test_an_optional_text_may_be_empty() -> None:
    assert text_of({}, "a", required=False) == ""


@pytest.mark.parametrize("value", [None, "1", True, float("nan"), float("inf"), [1.0]])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(RejectedCommand, match="expected a number"):
        number_of({"a": value}, "a")


def test_integers_are_numbers() -> None:
    assert number_of({"a": 3}, "a") == 3.0
