"""Pytest options of the conformance kit: ``pytest --openral-detector <id>`` tests one detector."""

import argparse
from pathlib import Path

import pytest

from openral_testing.conformance import Kit

KIT = Kit("--openral-detector", Path(__file__).parent, "openral_testing.detectors.plugin")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options of the kit; all start with ``--openral-``."""
    group = parser.getgroup("detector conformance")
    group.addoption(
        "--openral-detector", default="", help="id, alias, slug or folder of the detector to test"
    )
    group.addoption(
        "--openral-rskills", action="append", default=[], help="folder of rSkills; may be repeated"
    )
    group.addoption("--openral-weights-dir", default="", help="folder of weights")
    group.addoption("--openral-environments", default=".environments", help="folder of Python environments")
    group.addoption("--openral-device", default="cpu", help="device of the model")
    group.addoption(
        "--openral-remote-code", action="store_true", help="allow a pinned checkpoint to run its own code"
    )
    group.addoption(
        "--openral-load-cycles", type=int, default=20, help="load and unload cycles of the leak test"
    )
    group.addoption(
        "--openral-inference-timeout",
        type=float,
        default=10.0,
        help="an inference longer than this [s] is a hang",
    )
    group.addoption(
        "--openral-min-recall",
        type=_fraction,
        default=None,
        help="required recall on the test images, above 0 up to 1; without it the test is skipped",
    )


def _fraction(text: str) -> float:
    """Parse a recall that a detector can miss."""
    fraction = float(text)
    if not 0.0 < fraction <= 1.0:
        raise argparse.ArgumentTypeError(
            f"{text}: expected above 0 and up to 1; omit the option to require none"
        )
    return fraction


def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Run only the kit if a detector but no tests are given."""
    KIT.select_tests(early_config, args)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore the kit's tests unless a detector is given."""
    return KIT.ignores(collection_path, config)


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, which need ROS, only if a detector is given."""
    KIT.load(config)
