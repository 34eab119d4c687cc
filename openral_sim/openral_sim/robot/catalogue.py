"""Robots of the simulation by name: their descriptions, found without loading any model."""

from pathlib import Path

from openral_core.documents import read_yaml
from openral_core.errors import OpenRALError, format_choices

DESCRIPTIONS = Path(__file__).parent / "descriptions"
DEFAULT_ROBOT = "franka"


class UnknownSimRobot(OpenRALError):
    """A robot that is neither a file nor the name of a shipped one."""

    def __init__(self, robot: str) -> None:
        valid = f"{format_choices(shipped_robots())}, or the file of a robot's description"
        self.reason = f"no such file; valid: {valid}"
        super().__init__(f"--robot {robot}: {self.reason}")


def shipped_robots() -> dict[str, Path]:
    """Return the descriptions that are shipped, by name."""
    return {file.stem: file for file in sorted(DESCRIPTIONS.glob("*.yaml"))}


def robot_file(robot: str) -> Path:
    """Return the description of a shipped robot by its name, or a file as given.

    Raises:
        UnknownSimRobot: If it is neither.
    """
    shipped, path = shipped_robots(), Path(robot)
    if robot in shipped:
        return shipped[robot]
    if not path.is_file():
        raise UnknownSimRobot(robot)
    return path.resolve()


def licence_notice(robot: str) -> str:
    """Return what has to be told when a robot is chosen; "" if nothing.

    Raises:
        UnknownSimRobot: If there is no such robot.
        InvalidDocument: If its description cannot be read.
    """
    return str(read_yaml(robot_file(robot)).get("licence_notice", "")).strip()
