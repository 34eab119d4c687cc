"""Every check gives one finding, and what is wrong comes with what to do."""

import json
import re
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.metadata import version

import pytest

pytest.importorskip("rclpy")
from typer.testing import CliRunner

from openral_bringup.cli.main import command_line
from openral_core import CONTRACT_VERSION
from openral_testing import doctor as doctor_module
from openral_testing.doctor import CHECKS, CheckResult, CheckStatus, conclusion
from openral_testing.machine import facts


@pytest.mark.parametrize("check", CHECKS, ids=lambda item: item.__name__)
def test_a_check_says_what_it_found_and_what_to_do_unless_all_is_well(
    check: Callable[[], CheckResult], ros_domain: int
) -> None:
    finding = check()
    assert finding.found
    assert bool(finding.advice) is (finding.verdict is not CheckStatus.GOOD)


def test_processes_of_one_machine_find_each_other(ros_domain: int) -> None:
    (discovery,) = (check for check in CHECKS if check.__name__ == "discovery")
    assert discovery().verdict is CheckStatus.GOOD


def test_a_taken_port_is_noticed(ros_domain: int) -> None:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as taken:
        with suppress(OSError):  # somebody else may hold it: it is taken all the same
            taken.bind(("0.0.0.0", 7410 + 250 * ros_domain))
        finding = doctor_module.ports()
    assert finding.verdict is CheckStatus.LIMITED
    assert "--domain-id" in finding.advice


@pytest.mark.parametrize(
    ("verdict", "code"), [(CheckStatus.GOOD, 0), (CheckStatus.LIMITED, 0), (CheckStatus.BAD, 1)]
)
def test_the_doctor_fails_only_when_the_graph_cannot_run(
    monkeypatch: pytest.MonkeyPatch, verdict: CheckStatus, code: int
) -> None:
    monkeypatch.setattr(doctor_module, "CHECKS", (lambda: CheckResult("head", verdict, "sore", "rest"),))
    answer = CliRunner().invoke(command_line(), ["doctor"])
    assert answer.exit_code == code
    assert "sore" in answer.stdout
    told = CliRunner().invoke(command_line(), ["doctor", "--json"])
    assert told.exit_code == code
    assert json.loads(told.stdout)["findings"] == [
        {"what": "head", "verdict": verdict.value, "found": "sore", "advice": "rest"}
    ]


def test_every_package_adds_its_commands() -> None:
    reported = CliRunner().invoke(command_line(), ["--help"]).stdout
    assert all(word in reported for word in ("doctor", "prompt", "replay", "weights", "memory"))


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ((CheckStatus.GOOD, CheckStatus.GOOD), "can run the graph with every detector"),
        ((CheckStatus.GOOD, CheckStatus.LIMITED), "with limits: check 1"),
        ((CheckStatus.LIMITED, CheckStatus.BAD), "not ready. Fix first: check 1"),
    ],
)
def test_it_ends_with_what_it_comes_to(verdicts: tuple[CheckStatus, ...], words: str) -> None:
    findings = [CheckResult(f"check {number}", verdict, "f", "a") for number, verdict in enumerate(verdicts)]
    assert words in conclusion(findings)


def test_a_bug_report_has_versions_machine_and_settings_but_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENRAL_CONSOLE_TOKEN", "hush")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hush")
    monkeypatch.setenv("ROS_DOMAIN_ID", "71")
    report = facts()
    assert re.match(
        rf"{version('openral_bringup')}, contract {re.escape(CONTRACT_VERSION)}, commit ", report["openral"]
    )
    assert {"system", "python", "processor", "wheels"} <= report.keys()
    assert f"rclpy {version('rclpy')}" in report["wheels"]
    assert (report["OPENRAL_CONSOLE_TOKEN"], report["ANTHROPIC_API_KEY"], report["ROS_DOMAIN_ID"]) == (
        "set",
        "set",
        "71",
    )
    assert "hush" not in str(report)


def test_the_doctor_ends_with_the_facts_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_module, "CHECKS", ())
    printed = CliRunner().invoke(command_line(), ["doctor"]).stdout
    assert f"openral: {version('openral_bringup')}" in printed
    assert json.loads(CliRunner().invoke(command_line(), ["doctor", "--json"]).stdout)["machine"]["python"]
