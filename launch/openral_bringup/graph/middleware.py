"""Settings of the ROS middleware that the processes of a graph are given."""

from collections.abc import Mapping

from openral_bringup.graph.resources import dds_profile

PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
"""Environment variables that name a Fast DDS profile: of the version in Jazzy, and of later ones."""
FAST_DDS = ("", "rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")
DISCOVERY, LARGE_IMAGES = "discovery", "large_images"
"""Names of profiles: of any process, and of one that publishes images."""


def rmw_environment(environment: Mapping[str, str], profile: str = DISCOVERY) -> dict[str, str]:
    """Return the environment that gives a process one of our profiles; empty if the user chose otherwise.

    With Fast DDS's own settings, images of 640x480 do not fit its shared-memory segment, and processes of one
    host may take 3 s to find each other.
    """
    ours = ("", str(dds_profile(DISCOVERY)))
    chosen = any(environment.get(name, "") not in ours for name in PROFILES)
    if chosen or environment.get("RMW_IMPLEMENTATION", "") not in FAST_DDS:
        return {}
    return {PROFILES[0]: str(dds_profile(profile))}
