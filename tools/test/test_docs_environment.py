"""Tests of the environment that builds the documentation site."""

import io
import tarfile
import urllib.error
from collections.abc import Sequence
from pathlib import Path

import pytest

from workspace import docs_environment, tool_environments
from workspace.docs_environment import MERMAID_MEMBER, REQUIREMENTS, ensure_docs_environment
from workspace.paths import Layout

SCRIPT = b"globalThis.mermaid = {}"


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    (tmp_path / REQUIREMENTS).parent.mkdir(parents=True)
    (tmp_path / REQUIREMENTS).write_text("mkdocs==1\n")

    def run(title: str, command: Sequence[str | Path], *_: object) -> None:
        if title == "python -m venv":
            Path(command[-1]).mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(tool_environments, "run", run)
    monkeypatch.setattr(docs_environment, "MERMAID_SHA256", docs_environment._sha256(SCRIPT))
    return Layout(tmp_path)


def answer(monkeypatch: pytest.MonkeyPatch, script: bytes) -> None:
    def urlopen(*_: object, **__: object) -> io.BytesIO:
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz") as members:
            member = tarfile.TarInfo(MERMAID_MEMBER)
            member.size = len(script)
            members.addfile(member, io.BytesIO(script))
        return io.BytesIO(archive.getvalue())

    monkeypatch.setattr(docs_environment.urllib.request, "urlopen", urlopen)


def test_fetches_the_script_that_matches_its_digest(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, SCRIPT)
    ensure_docs_environment(layout)
    assert (layout.docs_environment / "mermaid.js").read_bytes() == SCRIPT


def test_goes_on_without_a_script_of_another_digest(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, b"something else")
    ensure_docs_environment(layout)
    assert not (layout.docs_environment / "mermaid.js").exists()
    assert "does not match" in capsys.readouterr().err


def test_goes_on_without_a_network(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def urlopen(*_: object, **__: object) -> None:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(docs_environment.urllib.request, "urlopen", urlopen)
    ensure_docs_environment(layout)
    assert "no network" in capsys.readouterr().err
