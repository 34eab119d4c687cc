"""People the robot knows of, and where they first are."""

from pydantic import PositiveFloat

from openral_core.documents import Document
from openral_core.maps.geometry import Pose2


class Agent(Document):
    """A person: standing pose in the map frame, facing +x of it, and height [m]."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    room: str
    pose: Pose2
    height: PositiveFloat = 1.7
