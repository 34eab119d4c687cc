"""The commands: which job they start with which options."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from openral_core.documents import InvalidDocument
from openral_training import cli, environment
from openral_training.detector.options import OPTIONS_FILE


class Started:
    """Takes the place of becoming the job."""

    def __init__(self) -> None:
        self.job, self.options = "", dict[str, object]()

    def command(self, _environments: Path, job: str, options: str) -> Sequence[str]:
        self.job, self.options = job, json.loads(options)
        return []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    started = Started()
    monkeypatch.setattr(environment, "job_command", started.command)
    monkeypatch.setattr(environment, "become", lambda _command: None)
    return started


def run(*arguments: str) -> object:
    return CliRunner().invoke(cli.commands, ["train", *arguments], catch_exceptions=False)


def test_only_what_is_given_differs_from_the_defaults(started: Started) -> None:
    run("detector", "data", "--out", "run", "--hours", "2", "--window", "256x256", "--fp32")
    assert started.job == "detector"
    assert started.options["hours"] == 2.0
    assert started.options["window"] == [256, 256]
    assert started.options["bf16"] is False
    assert started.options["batch"] == 8
    assert started.options["image_size"] == [640, 480]


def test_a_resumed_run_keeps_its_options_and_may_get_another_end(tmp_path: Path, started: Started) -> None:
    stored = {"data": "data", "out": str(tmp_path), "hours": 2.0, "seed": 5, "batch": 4}
    (tmp_path / OPTIONS_FILE).write_text(json.dumps(stored))
    run("detector", "data", "--out", str(tmp_path), "--resume")
    assert started.options["resume"] is True
    assert (started.options["seed"], started.options["batch"], started.options["hours"]) == (5, 4, 2.0)
    run("detector", "data", "--out", str(tmp_path), "--resume", "--views", "900")
    assert (started.options["views"], started.options["hours"]) == (900, None)


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give either hours or views"),
        (["--hours", "1", "--views", "5"], "give either hours or views"),
        (["--hours", "-1"], "hours: Input should be greater than 0"),
        (["--views", "9", "--window", "100x100"], "multiples of 32"),
    ],
)
def test_wrong_options_are_named(arguments: list[str], words: str) -> None:
    with pytest.raises(InvalidDocument, match=words):
        run("detector", "data", "--out", "run", *arguments)


def test_a_size_is_two_numbers(started: Started) -> None:
    result = CliRunner().invoke(
        cli.commands, ["train", "export", "run", "data", "--out", "x", "--size", "640"]
    )
    assert result.exit_code == 2
    assert started.job == ""


def test_evaluation_and_export_have_their_options(started: Started) -> None:
    run("evaluate", "run", "data", "--split", "val", "--threshold", "0.4")
    assert (started.job, started.options["split"], started.options["threshold"]) == ("evaluate", "val", 0.4)
    run("export", "run", "data", "--out", "eyes", "--size", "320x256", "--quantise")
    assert (started.job, started.options["size"], started.options["quantise"]) == ("export", [320, 256], True)
