"""Checks are processes that print JSON; one that does not report says why."""

import asyncio
import sys
from pathlib import Path

import pytest

from openral_console import checks
from openral_console.checks import CheckFailed, Checks, standard_checks
from openral_console.source import RejectedCommand


def check(code: str) -> Checks:
    return Checks({"doctor": (sys.executable, "-c", code)})


def test_requests_at_once_and_soon_after_share_the_findings_of_one_process(tmp_path: Path) -> None:
    count = tmp_path / "count"
    found = check(f"import json; open({str(count)!r}, 'a').write('x'); print(json.dumps([1]))")

    async def ask() -> list[object]:
        return [*await asyncio.gather(*(found.run("doctor") for _ in range(5))), await found.run("doctor")]

    assert asyncio.run(ask()) == [[1]] * 6
    assert count.read_text() == "x"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit('no memory left')", "no memory left"),
        ("print('sound')", "exit code 0"),
        ("print('[' * 100_000)", "exit code 0"),
    ],
)
def test_a_check_that_prints_no_findings_says_why(code: str, reason: str) -> None:
    with pytest.raises(CheckFailed, match=reason):
        asyncio.run(check(code).run("doctor"))


def test_a_check_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "TIMEOUT", 0.2)
    with pytest.raises(CheckFailed, match="nothing within"):
        asyncio.run(check("import time; time.sleep(600)").run("doctor"))


@pytest.mark.parametrize("name", ["", "robot", None, ["doctor"], {"name": "doctor"}])
def test_only_checks_that_exist_are_run(name: object) -> None:
    with pytest.raises(RejectedCommand, match="unknown check"):
        asyncio.run(check("print(1)").run(name))


def test_a_robot_is_checked_against_its_description() -> None:
    assert standard_checks().names == ["doctor"]
    assert standard_checks(Path("robot.yaml")).names == ["doctor", "robot"]
