"""A person of a built world."""

from dataclasses import dataclass

from openral_core.maps import Pose2


@dataclass(frozen=True)
class WorldPerson:
    """A person: who, where in the map frame, and the names of body, geoms and palm site in the model."""

    id: str
    name: str
    pose: Pose2
    body: str
    geoms: tuple[str, ...]
    hand_site: str
