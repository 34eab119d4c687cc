"""Interfaces with callbacks are created by a `ResourceScope`, which guards them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKES = re.compile(
    r"\bcreate_(subscription|service|timer|guard_condition)\(|\bActionServer\(|"
    r"\b(Single|Multi)ThreadedExecutor\(|\bEventsExecutor\("
)
ELSEWHERE = {
    "openral_ros/openral_ros/resources.py": "makes and guards them",
    "openral_ros/openral_ros/callback_guard.py": "its own report",
    "openral_perception_ros/openral_perception_ros/locate_service.py": "guards its services itself",
    "openral_testing/openral_testing/foreign_robot/ros/action_server.py": "serves results of other packages",
    "openral_testing/openral_testing/detectors": "clients in a test kit",
    "openral_testing/openral_testing/skills": "a client in a test kit",
    "openral_testing/openral_testing/ros": "fake peers of tests",
}
SOURCES = sorted(
    path
    for package in (*ROOT.glob("*/openral_*/__init__.py"), *ROOT.glob("lab/*/openral_*/__init__.py"))
    for path in package.parent.rglob("*.py")
    if "build" not in path.parts and "install" not in path.parts
)


def test_there_are_sources() -> None:
    assert len(SOURCES) > 200


def test_what_calls_back_is_made_by_a_scope() -> None:
    bound = [path for path in SOURCES if not any(path.is_relative_to(ROOT / item) for item in ELSEWHERE)]
    matches = {str(path.relative_to(ROOT)): MAKES.search(path.read_text()) for path in bound}
    offenders = {path: match.group() for path, match in matches.items() if match}
    assert not offenders, "these belong to ResourceScope"


@pytest.mark.parametrize("each", ELSEWHERE)
def test_every_exception_is_still_one(each: str) -> None:
    files = [path for path in SOURCES if path.is_relative_to(ROOT / each)]
    assert any(MAKES.search(path.read_text()) for path in files)
