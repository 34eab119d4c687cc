"""Start of rclpy within the reach that the deployment chose, whatever else the environment has set."""

import os
from collections.abc import Sequence
from pathlib import Path

import rclpy
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from openral_core.discovery import apply_discovery, chosen_discovery

PROFILE_PACKAGE = "openral_bringup"
"""Package that installs the profiles of Fast DDS."""
LOOPBACK = "discovery.xml"
"""Profile of any process on this machine alone."""


def profile_folder() -> Path | None:
    """Return the folder of the installed profiles; None in a workspace without `PROFILE_PACKAGE`."""
    try:
        return Path(get_package_share_directory(PROFILE_PACKAGE)) / "dds"
    except PackageNotFoundError:
        return None


def loopback_profile() -> Path | None:
    """Return the profile of any process on this machine alone, if it is installed."""
    folder = profile_folder()
    return None if folder is None else folder / LOOPBACK


def init_rclpy(
    arguments: Sequence[str] | None = (),
    *,
    context: Context | None = None,
    domain: int | None = None,
    handlers: SignalHandlerOptions | None = None,
) -> None:
    """Initialise rclpy; no node of this project is made without it.

    Args:
        arguments: Command line with ROS arguments; None takes the process's own, which only the process of
            a node should: those of other commands are not ROS's.
        context: To initialise, instead of the default one.
        domain: ROS domain; None takes that of the environment.
        handlers: Of signals; None takes rclpy's choice.

    Raises:
        InvalidDiscovery: If `OPENRAL_DISCOVERY` holds no choice.
    """
    apply_discovery(os.environ, chosen_discovery(os.environ), loopback_profile())
    words = None if arguments is None else list(arguments)
    rclpy.init(args=words, context=context, domain_id=domain, signal_handler_options=handlers)
