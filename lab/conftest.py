"""Tests of the laboratory: its packages and benchmarks, and what may be skipped there."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

LAB = Path(__file__).parent
sys.path.append(str(LAB))  # benchmarks is no package that is installed
# As in the conftest.py above: packages before their folders.
for package in sorted(LAB.glob("*/openral_*/__init__.py")):
    import_module(package.parent.name)

DECLARED_SKIPS = (
    "TextWorldExpress is not installed: make games",
    "minigrid is not installed: make games",
    "could not import 'ray'",  # requirements/cluster.txt
    "could not import 'inspect_ai'",  # lab/requirements/inspect.txt
)


def pytest_configure(config: pytest.Config) -> None:
    """Accept these reasons with --strict-skips."""
    for reason in DECLARED_SKIPS:
        config.addinivalue_line("declared_skips", reason)
