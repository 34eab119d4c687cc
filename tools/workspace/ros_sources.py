"""Source of ROS 2 Jazzy: the system if it is installed there, else wheels."""

import os
from dataclasses import dataclass
from pathlib import Path

DISTRIBUTION = "jazzy"
SYSTEM_PREFIX = Path("/opt/ros") / DISTRIBUTION
SYSTEM_PYTHON = (3, 12)


@dataclass(frozen=True)
class RosSource:
    """Origin of ROS 2; `prefix` is None when it comes from wheels."""

    prefix: Path | None

    @property
    def is_system(self) -> bool:
        """True if ROS 2 is installed outside the virtual environment."""
        return self.prefix is not None

    @property
    def setup_file(self) -> Path | None:
        """Shell file that sets the ROS environment of the system."""
        return self.prefix / "setup.sh" if self.prefix else None

    def provides(self, package: str) -> bool:
        """Test if the ROS of the system has a package."""
        return self.prefix is not None and (self.prefix / "share" / package / "package.xml").exists()

    def __str__(self) -> str:
        return f"the system's ROS 2 at {self.prefix}" if self.prefix else "ROS 2 wheels"


def find_ros(environ: dict[str, str] | None = None, default: Path = SYSTEM_PREFIX) -> RosSource:
    """Return the sourced ROS 2 Jazzy, else the one in its standard folder, else wheels."""
    variables = dict(os.environ) if environ is None else environ
    sourced = variables.get("AMENT_PREFIX_PATH", "") if variables.get("ROS_DISTRO") == DISTRIBUTION else ""
    prefixes = [*(Path(prefix) for prefix in sourced.split(":") if prefix), default]
    return RosSource(next((prefix for prefix in prefixes if _is_ros(prefix)), None))


def _is_ros(prefix: Path) -> bool:
    return (prefix / "setup.sh").exists() and (prefix / "share" / "rclpy" / "package.xml").exists()
