"""One mission followed to its end, which is certain to come."""

import time
from collections.abc import Callable

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_msgs.msg import MissionStatus
from openral_reasoner_ros.cli.sessions import Session
from openral_reasoner_ros.names import MISSION
from openral_ros.qos import ENDINGS

SILENCE = 20.0
"""Longest silence of a reasoner with a mission [s]; its `poll_period` is at most 5 s."""
GONE = 3.0
"""A publisher that is missing for this long has not just been rediscovered [s]."""


class MissionLost(OpenRALError):
    """The reasoner ended before the mission did."""

    exit_code = 4

    def __init__(self, mission_id: str, why: str) -> None:
        super().__init__(
            f"mission {mission_id} is lost: {why}; a mission is not resumed, so give the goal again"
        )


class MissionFollower:
    """Hears every status from its construction on, so that no end is missed."""

    def __init__(self, opened: Session, silence: float = SILENCE, gone: float = GONE) -> None:
        self._opened, self._silence, self._gone = opened, silence, gone
        self._statuses: dict[str, MissionStatus] = {}
        self._heard = time.monotonic()
        opened.node.create_subscription(MissionStatus, MISSION, self._take, ENDINGS)

    def wait_for_end(self, mission_id: str, tell: Callable[[str], object]) -> MissionStatus:
        """The mission's last status.

        Args:
            mission_id: Of the receipt.
            tell: Called with each question that the mission waits for.

        Raises:
            MissionLost: If the reasoner that took it is gone or silent.
        """
        reasoners, told, present = self._reasoners(), "", time.monotonic()
        self._heard = time.monotonic()
        while True:
            last = self._statuses.get(mission_id)
            if last is not None and MissionState(last.state).ended:
                return last
            if (
                last is not None
                and last.state == MissionStatus.STATE_WAITING_FOR_HUMAN
                and last.reason != told
            ):
                told = last.reason
                tell(f"waits for a human: {told}")
            now = time.monotonic()
            reasoners = reasoners or self._reasoners()
            present = now if not reasoners or reasoners & self._reasoners() else present
            if now - present > self._gone:
                raise MissionLost(mission_id, "the reasoner that took it has ended or was deactivated")
            if now - self._heard > self._silence:
                raise MissionLost(mission_id, f"the reasoner has been silent for {self._silence:g} s")
            self._opened.spin_until(lambda: False, 0.1)

    def _take(self, message: MissionStatus) -> None:
        self._heard = time.monotonic()
        self._statuses[message.mission_id] = message

    def _reasoners(self) -> set[tuple[int, ...]]:
        """Identities of the publishers of missions; a restarted reasoner is another one."""
        found = self._opened.node.get_publishers_info_by_topic(MISSION)
        return {tuple(each.endpoint_gid) for each in found}
