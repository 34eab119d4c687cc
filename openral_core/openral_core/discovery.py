"""Reach of a graph: nodes of this machine alone, or of every machine of its network.

The deployment decides it, by `--discovery` or `OPENRAL_DISCOVERY`. What else the environment holds is no
decision: ROS's own set-up file exports ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET into every shell that sources it.
"""

from collections.abc import Mapping, MutableMapping
from enum import StrEnum
from pathlib import Path

from openral_core.errors import OpenRALError, format_choices

VARIABLE = "OPENRAL_DISCOVERY"
"""Environment variable that holds the choice for every command, and for the nodes of a deployment."""
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
WIDENING = ("ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER", "ROS_SUPER_CLIENT", "FASTDDS_ENVIRONMENT_FILE")
"""Variables that connect nodes to other machines whatever the range is."""
DEPRECATED = "ROS_LOCALHOST_ONLY"
"""Variable that ROS still lets override the range."""
PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
"""Environment variables that name a Fast DDS profile: of the version in Jazzy, and of later ones."""
WITHOUT_DEFAULT_PROFILE = "SKIP_DEFAULT_XML_FILE"
"""Variable that keeps Fast DDS from reading a profile that lies in the working folder."""
RMW = "RMW_IMPLEMENTATION"
FAST_DDS = ("", "rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")


class Discovery(StrEnum):
    """Machines whose nodes a graph discovers."""

    LOCAL = "local"
    SUBNET = "subnet"


class InvalidDiscovery(OpenRALError):
    """Value of `OPENRAL_DISCOVERY` that is no choice."""

    def __init__(self, value: str) -> None:
        super().__init__(f"{VARIABLE}={value[:40]!r}: expected one of {format_choices(Discovery)}")


def chosen_discovery(environment: Mapping[str, str]) -> Discovery:
    """Return what the deployment chose, by default this machine alone.

    Raises:
        InvalidDiscovery: If the variable holds no choice.
    """
    value = environment.get(VARIABLE, "") or Discovery.LOCAL
    try:
        return Discovery(value)
    except ValueError as error:
        raise InvalidDiscovery(value) from error


def apply_discovery(
    environment: MutableMapping[str, str], discovery: Discovery, loopback_profile: Path | None
) -> None:
    """Change an environment so that the processes that get it have this reach.

    Args:
        environment: Of this process, or of one to start.
        loopback_profile: Profile of Fast DDS for this machine alone. With the range alone, another machine
            that names this one as a static peer would still be let in. A profile of the user's own stays.
    """
    ours = "" if loopback_profile is None else str(loopback_profile)
    environment[VARIABLE] = discovery.value
    environment.pop(DEPRECATED, None)
    if discovery is Discovery.SUBNET:
        environment[RANGE] = "SUBNET"
        if ours and environment.get(PROFILES[0]) == ours:
            del environment[PROFILES[0]]
        return
    environment[RANGE] = "LOCALHOST"
    for name in WIDENING:
        environment.pop(name, None)
    if ours and uses_default_profile(environment):
        environment[PROFILES[0]], environment[WITHOUT_DEFAULT_PROFILE] = ours, "1"


def uses_default_profile(environment: Mapping[str, str]) -> bool:
    """Return True if the middleware is Fast DDS and the user has not configured it."""
    profiles = any(environment.get(name, "") for name in PROFILES)
    return not profiles and environment.get(RMW, "") in FAST_DDS


def is_bound_to_this_machine(environment: Mapping[str, str], profiles: Path | None) -> bool:
    """Return True if no other machine gets in, even one that names this one as a static peer.

    Args:
        environment: After `apply_discovery`.
        profiles: Folder of this project's profiles.
    """
    ours = profiles is not None and Path(environment.get(PROFILES[0], "")).parent == profiles
    return ours and environment.get(RANGE) == "LOCALHOST" and environment.get(RMW, "") in FAST_DDS


def describe_discovery(environment: Mapping[str, str], profiles: Path | None) -> str:
    """Return which machines can reach a graph, for people; the arguments are `is_bound_to_this_machine`'s."""
    if environment.get(RANGE) == "SUBNET":
        return "subnet: every machine of the network can see and command this graph"
    if is_bound_to_this_machine(environment, profiles):
        return "local: this machine alone (--discovery subnet opens the graph to its network)"
    middleware = environment.get(RMW, "")
    profile = next((environment[name] for name in PROFILES if environment.get(name, "")), "")
    if middleware not in FAST_DDS:
        return f"local, as far as {middleware} heeds {RANGE}=LOCALHOST and is not configured otherwise"
    if profile:
        return f"local, by {RANGE}=LOCALHOST and what your Fast DDS profile {profile} adds to it"
    return f"local, by {RANGE}=LOCALHOST alone: a machine that names this one as a static peer can still join"
