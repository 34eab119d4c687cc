"""An audit names what is vulnerable, and never takes silence for safety."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
import supply_chain

VULNERABLE = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1", "2.0"]}]}
SOUND = {"name": "new", "version": "3.0", "vulns": []}
UNKNOWN = {"name": "private", "skip_reason": "Dependency not found on PyPI"}
Answer = Callable[[str], None]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Let the tool write this report, "" for none."""
    (tmp_path / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    monkeypatch.setattr(supply_chain, "PRODUCT", tmp_path)
    monkeypatch.setattr(supply_chain, "REPORT", tmp_path / "build" / "audit.json")

    def prepare(report: str) -> None:
        def run(*command: object) -> subprocess.CompletedProcess[str]:
            if report:
                supply_chain.REPORT.write_text(report)
            return subprocess.CompletedProcess([], 1, "", "Traceback\nProxyError: unreachable\n\n")

        monkeypatch.setattr(supply_chain, "run", run)

    return prepare


def test_a_vulnerable_package_is_named_and_fails(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    answer(json.dumps({"dependencies": [VULNERABLE, SOUND, UNKNOWN]}))
    assert supply_chain.main(["audit"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "old 1.0: PYSEC-1, fixed in 1.1, 2.0",
        "2 packages audited, 1 known vulnerabilities; 1 packages unknown to the service, not audited",
    ]


def test_sound_packages_pass(answer: Answer) -> None:
    answer(json.dumps({"dependencies": [SOUND]}))
    assert supply_chain.main(["audit"]) == 0


def test_without_a_network_it_says_that_nothing_was_audited(
    answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    answer("")
    assert supply_chain.main(["audit"]) == 0
    assert "ProxyError: unreachable" in capsys.readouterr().out


def test_an_old_report_is_not_taken_for_a_new_one(answer: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    answer(json.dumps({"dependencies": [SOUND]}))
    supply_chain.main(["audit"])
    answer("")
    supply_chain.main(["audit"])
    assert capsys.readouterr().out.splitlines()[-1].startswith("not audited")


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert supply_chain.main(["sbon"]) == 2
    assert "sbom | audit" in capsys.readouterr().err
