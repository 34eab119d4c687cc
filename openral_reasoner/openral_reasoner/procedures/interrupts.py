"""What ends a step from outside."""

from openral_core.errors import OpenRALError


class MissionCancelled(OpenRALError):
    """The operator, or the node's shutdown, stops the mission."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


class MissionStuck(OpenRALError):
    """The mission goes on without coming nearer to its goal."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
