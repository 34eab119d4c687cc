"""Fixtures of the conformance kit; see `options`."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from unique_identifier_msgs.msg import UUID

from openral_core.rskills import Registry
from openral_testing.skills.goals import RobotGoals, load_goals
from openral_testing.skills.subject import SkillServerUnderTest

RESTART_TIMEOUT = 60.0
"""Longest run of the command that restarts the server [s]."""


@pytest.fixture(scope="session")
def connected(pytestconfig: pytest.Config) -> Iterator[SkillServerUnderTest]:
    """Connect to the skill server of the robot."""
    context = Context()
    rclpy.init(context=context)
    namespace = pytestconfig.getoption("--openral-skill-server").strip("/")
    node = rclpy.create_node("skill_conformance", context=context, namespace=f"/{namespace}")
    server = SkillServerUnderTest(node, pytestconfig.getoption("--openral-skill-base"))
    server.connect()
    yield server
    server.close()
    rclpy.try_shutdown(context=context)


@pytest.fixture
def server(connected: SkillServerUnderTest) -> Iterator[SkillServerUnderTest]:
    """Provide the idle skill server; a goal that a failed test leaves running is cancelled."""
    connected.become_idle()
    yield connected
    connected.cancel(UUID())
    connected.become_idle()


@pytest.fixture(scope="session")
def goals(pytestconfig: pytest.Config) -> RobotGoals:
    """Load the goals of the robot."""
    file = pytestconfig.getoption("--openral-skill-goals")
    if not file:
        raise pytest.UsageError("--openral-skill-goals FILE is missing: it names a quick and a long goal")
    return load_goals(Path(file))


@pytest.fixture(scope="session")
def registry(pytestconfig: pytest.Config) -> Registry:
    """Load the manifests of the skills."""
    folders = pytestconfig.getoption("--openral-skill-manifests") or ["rskills"]
    return Registry.load([Path(folder) for folder in folders])


@pytest.fixture
def restart(pytestconfig: pytest.Config) -> Callable[[], None]:
    """Return the function that kills the skill server and starts it again."""
    command = pytestconfig.getoption("--openral-skill-restart")
    if not command:
        pytest.skip("--openral-skill-restart COMMAND restarts the server; without it this is not tested")

    def run() -> None:
        subprocess.run(command, shell=True, check=True, timeout=RESTART_TIMEOUT, stdin=subprocess.DEVNULL)

    return run
