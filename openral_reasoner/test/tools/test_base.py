"""Base class of the tools, and the error that the model can correct."""

import pytest
from pydantic import ValidationError

from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall, Tool
from openral_reasoner.tools.registry import PALETTE, name_of


def test_an_invalid_call_names_the_value_and_what_would_have_been_valid() -> None:
    error = InvalidCall("camera", "roof", ("head", "wrist"))
    assert all(part in str(error) for part in ("camera", "'roof'", "head", "wrist"))
    assert error.valid == ("head", "wrist")
    assert error.advice.startswith("this camera is not available now")


def test_a_given_advice_replaces_the_standard_one() -> None:
    assert (
        InvalidCall("target", "x", (), "act on the id that is found").advice == "act on the id that is found"
    )


@pytest.mark.parametrize("tool", PALETTE, ids=name_of)
def test_every_argument_is_described_for_the_model(tool: type[Tool]) -> None:
    fields = {name: field for name, field in tool.model_fields.items() if name != "tool"}
    assert [name for name, field in fields.items() if not field.description] == []


@pytest.mark.parametrize("tool", PALETTE, ids=name_of)
def test_an_unknown_argument_is_rejected(tool: type[Tool]) -> None:
    with pytest.raises(ValidationError, match=r"(?s)force.*Extra inputs are not permitted"):
        tool.model_validate({"force": True})


@pytest.mark.parametrize("tool", PALETTE, ids=name_of)
def test_the_description_is_one_line_without_runs_of_spaces(tool: type[Tool], palette: ToolPalette) -> None:
    description = tool.words(palette)
    assert description
    assert "\n" not in description
    assert "  " not in description
