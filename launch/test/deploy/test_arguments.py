"""Arguments of a command line that no message can carry are refused in words."""

import sys

import pytest

from openral_bringup.deploy.main import main
from openral_core.errors import MAX_MESSAGE, UnreadableArgument, check_arguments


def test_a_goal_in_another_encoding_ends_with_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = b"find the caf\xe9 cup".decode(errors="surrogateescape")
    monkeypatch.setattr(sys, "argv", ["deploy_sim.py", "--goal", goal])
    assert main() == 2
    assert "is not UTF-8 text" in capsys.readouterr().err


def test_the_message_names_the_argument_in_few_words() -> None:
    with pytest.raises(UnreadableArgument, match=r"udce9") as refused:
        check_arguments(["--goal", "caf\udce9" + "x" * 100_000])
    assert len(str(refused.value).encode()) <= MAX_MESSAGE


def test_any_text_in_utf_8_is_taken() -> None:
    check_arguments(["--goal", "Café 咖啡 🛑", ""])
