"""Settings of the ROS middleware that the processes of a graph are given."""

import os
from collections.abc import Mapping

from openral_bringup.graph.resources import dds_profile
from openral_core.discovery import (
    FAST_DDS,
    PROFILES,
    RMW,
    Discovery,
    apply_discovery,
    chosen_discovery,
    describe_discovery,
)

DISCOVERY, LARGE_IMAGES = "discovery", "large_images"
"""Names of profiles: of any process on this machine alone, and of one that publishes images."""
LOCAL_LARGE_IMAGES = "large_images_local"
"""Profile of one that publishes images on this machine alone."""


def rmw_environment(environment: Mapping[str, str], profile: str = DISCOVERY) -> dict[str, str]:
    """Return the environment that gives a process one of our profiles; empty if the user chose otherwise.

    With Fast DDS's own settings, images of 640x480 do not fit its shared-memory segment, and processes of one
    host may take 3 s to find each other; on a network they find each other by multicast.
    """
    ours = ("", str(dds_profile(DISCOVERY)))
    chosen = any(environment.get(name, "") not in ours for name in PROFILES)
    if chosen or environment.get(RMW, "") not in FAST_DDS:
        return {}
    if chosen_discovery(environment) is Discovery.SUBNET:
        return {PROFILES[0]: str(dds_profile(LARGE_IMAGES))} if profile == LARGE_IMAGES else {}
    local = LOCAL_LARGE_IMAGES if profile == LARGE_IMAGES else profile
    return {PROFILES[0]: str(dds_profile(local))}


def limit_discovery(discovery: Discovery) -> str:
    """Give this process, and those that it starts, the reach of its deployment; return it for people."""
    apply_discovery(os.environ, discovery, dds_profile(DISCOVERY))
    return f"discovery: {describe_discovery(os.environ, dds_profile(DISCOVERY).parent)}"
