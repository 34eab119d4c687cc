"""The command `openral eval`: reports, resumption after a kill, refusals."""

import json
import os
import signal
import subprocess
import sys
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from openral_eval.cli import commands

CODE = "from openral_eval.cli import commands; commands()"


def run(*options: str) -> tuple[int, str]:
    done = CliRunner().invoke(commands, ["eval", *options])
    return done.exit_code, f"{done.output}{done.exception or ''}"


def numbers(folder: Path) -> list[dict[str, Any]]:
    """Records without what is measured on the wall clock."""
    rows = json.loads((folder / "report.json").read_text())["trials"]
    return [{name: value for name, value in row.items() if name not in ("latencies", "wall")} for row in rows]


def test_a_run_ends_with_a_table_a_page_and_the_records(tmp_path: Path) -> None:
    code, words = run(
        "--suite", "search", "--limit", "3", "--trials", "2", "--jobs", "1", "--out", str(tmp_path)
    )
    assert code == 0, words
    assert "| search | 3 | 6 |" in words
    assert len(numbers(tmp_path)) == 6
    content = json.loads((tmp_path / "report.json").read_text())
    assert content["run"]["deadline"] == 60.0
    assert content["machine"]["cores"] >= 1
    report = (tmp_path / "report.md").read_text()
    assert "hash of prompts" in report
    page = (tmp_path / "report.html").read_text()
    HTMLParser().feed(page)
    assert "pass^k" in page
    assert "http" not in page.split("</head>")[1].replace("http://127.0.0.1", "")


def test_reports_are_compared_on_one_page(tmp_path: Path) -> None:
    options = ("--suite", "search", "--limit", "2", "--jobs", "1", "--trials")
    for trials in ("1", "8"):
        assert run(*options, trials, "--out", str(tmp_path / trials))[0] == 0
    paths = [str(tmp_path / trials / "report.json") for trials in ("1", "8")]
    out = tmp_path / "page.html"
    result = CliRunner().invoke(commands, ["eval-page", *paths, "--out", str(out)])
    assert result.exit_code == 0, result.output
    page = out.read_text()
    assert page.count("<td>search</td><td>scripted, seed 0</td><td>2</td>") == 2
    assert " ".join(["1.00"] * 8) in page
    assert "Never reached, endpoints of one's own aside: brain local, anthropic, openai." in page
    other = tmp_path / "other.json"
    other.write_text("{}")
    result = CliRunner().invoke(commands, ["eval-page", str(other)])
    assert result.exit_code != 0
    assert "other.json" in str(result.exception)


def test_a_killed_run_goes_on_and_ends_with_the_same_numbers(tmp_path: Path) -> None:
    options = ["--suite", "search", "--limit", "6", "--trials", "2", "--jobs", "1", "--out"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert run(*options, str(whole))[0] == 0
    command = [sys.executable, "-P", "-c", CODE, "eval", *options, str(killed)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for _ in range(4):
            assert process.stderr.readline()
        os.kill(process.pid, signal.SIGKILL)
    kept = (killed / "trials.jsonl").read_text().count("\n")
    assert 4 <= kept < 12
    code, words = run(*options, str(killed))
    assert code == 0, words
    assert numbers(killed) == numbers(whole)


class WrongAddress(BaseHTTPRequestHandler):
    """A server that has no model."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


def test_a_model_that_never_answers_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with HTTPServer(("127.0.0.1", 0), WrongAddress) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        code, words = run(
            *("--suite", "household", "--limit", "12", "--trials", "1", "--jobs", "1", "--brain", "openai"),
            *("--model", "absent", "--base-url", f"http://127.0.0.1:{server.server_port}"),
            *("--out", str(tmp_path)),
        )
        server.shutdown()
    assert code == 1
    assert "the model failed in 12 of 12 trials" in words
    assert {row["failure"] for row in numbers(tmp_path)} == {"model: NOT_FOUND"}
    assert all("404" in row["detail"] for row in numbers(tmp_path))
    assert {row["score"] for row in numbers(tmp_path)} == {0.0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--suite", "cooking"], "unknown suite 'cooking'"),
        (["--brain", "openai"], "needs the parameter 'model'"),
    ],
)
def test_what_cannot_run_says_so_before_anything_runs(tmp_path: Path, options: list[str], words: str) -> None:
    code, output = run(*options, "--out", str(tmp_path / "new"))
    assert code == 1
    assert words in output
    assert not (tmp_path / "new").exists()


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    options = ["--suite", "search", "--limit", "1", "--jobs", "1", "--out", str(tmp_path)]
    assert run(*options, "--trials", "1")[0] == 0
    code, words = run(*options, "--trials", "2")
    assert code == 1
    assert "differs in" in words
    code, words = run(*options, "--trials", "1", "--no-resume")
    assert code == 1
    assert "already holds 1 trials" in words
