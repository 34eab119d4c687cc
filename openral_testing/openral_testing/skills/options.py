"""Pytest options of the conformance kit: ``pytest --openral-skill-server /`` tests a running skill server."""

from pathlib import Path

import pytest

from openral_testing.conformance import Kit

KIT = Kit("--openral-skill-server", Path(__file__).parent, "openral_testing.skills.plugin")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options of the kit; all start with ``--openral-skill-``."""
    group = parser.getgroup("skill server conformance")
    group.addoption(
        "--openral-skill-server",
        default="",
        help="namespace of the robot to test; / = none",
    )
    group.addoption(
        "--openral-skill-goals", default="", help="YAML file with a quick and a long goal of that robot"
    )
    group.addoption(
        "--openral-skill-manifests", action="append", default=[], help="folder of rSkills; may be repeated"
    )
    group.addoption(
        "--openral-skill-restart",
        default="",
        help="shell command that kills the skill server and starts it again; without it that test is skipped",
    )
    group.addoption(
        "--openral-skill-base", default="base_link", help="frame of the base, whose standstill is checked"
    )


def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Run only the kit if a skill server but no tests are given."""
    KIT.select_tests(early_config, args)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore the kit's tests unless a skill server is given."""
    return KIT.ignores(collection_path, config)


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, which need ROS, only if a skill server is given."""
    KIT.load(config)
