"""How images leave the process that takes them."""

from collections.abc import Mapping

from openral_bringup.graphs.locations import large_images_profile

PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
"""Variables that name a Fast DDS profile: of the version in Jazzy, and of later ones."""
FAST_DDS = ("", "rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")


def camera_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Environment of a process that publishes images; none where the user chose a profile or another RMW.

    Fast DDS's own shared-memory segment is smaller than an image of 640x480.
    """
    chosen = any(environment.get(name) for name in PROFILES)
    if chosen or environment.get("RMW_IMPLEMENTATION", "") not in FAST_DDS:
        return {}
    return {PROFILES[0]: str(large_images_profile())}
