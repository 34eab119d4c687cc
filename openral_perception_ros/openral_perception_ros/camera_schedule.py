"""Order in which a continuous detector looks at the frames of its cameras: fair shares, a limit for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from openral_core.token_bucket import TokenBucket

Frame = TypeVar("Frame")
CREDIT = 4.0
"""Looks that a camera may save up [count]: jitter, and frames that fall between two looks, lose none."""
MOVING_FACTOR = 2.0
"""Factor on the share of a camera whose view changes [1]: there is more news in it than in a standing one."""
FIRST_FACTOR = 4.0
"""Factor on the share of the camera that the mission looks through [1]; the others still get theirs."""
FIRST_TIME = 30.0
"""Time for which a mission is taken to look through the camera that it looked through last [s]."""


@dataclass(frozen=True, slots=True)
class CameraLimit:
    """Maximum ``rate`` of looks at a camera [Hz], and its ``share`` of them relative to the other cameras."""

    rate: float
    share: float = 1.0


@dataclass(slots=True)
class _Turn(Generic[Frame]):
    """Newest frame of a camera that was not looked at, and the virtual time of its next look."""

    limit: CameraLimit
    bucket: TokenBucket = field(init=False)
    frame: Frame | None = None
    is_moving: bool = False
    due: float = 0.0

    def __post_init__(self) -> None:
        self.bucket = TokenBucket(self.limit.rate, CREDIT)


class CameraSchedule(Generic[Frame]):
    """Choose the next frame to look at, by weighted fair queueing; a camera's newer frame replaces its older.

    While every camera has frames, looks are divided by their shares; what one does not use goes to the
    others, and none starves.

    Source: stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528, 1995).
    """

    def __init__(self, limits: Mapping[str, CameraLimit]) -> None:
        self._turns = {camera: _Turn[Frame](limit) for camera, limit in limits.items()}
        self._time = 0.0  # virtual: looks per unit of share so far
        self._first, self._first_until = "", 0.0

    def look_first(self, camera: str, now: float) -> None:
        """Prefer a camera for `FIRST_TIME` from ``now`` [s] on, "" for none: the mission looks through it."""
        self._first, self._first_until = camera, now + FIRST_TIME

    def put(self, camera: str, frame: Frame, *, is_moving: bool = False) -> bool:
        """Offer a frame; return True if it replaces one that was not looked at."""
        turn = self._turns[camera]
        is_replaced = turn.frame is not None
        turn.frame, turn.is_moving = frame, is_moving
        if not is_replaced:
            turn.due = max(turn.due, self._time - (CREDIT - 1.0) / self._weight(camera))
        return is_replaced

    def take(self, now: float) -> Frame | None:
        """Take the frame to look at next at ``now`` [s]; None if there is none within the limits."""
        if now > self._first_until:
            self._first = ""
        offers = [camera for camera, turn in self._turns.items() if turn.frame is not None]
        for camera in sorted(offers, key=lambda camera: self._turns[camera].due):
            turn = self._turns[camera]
            if turn.bucket.take(now):
                self._time = max(self._time, turn.due)
                turn.due += 1.0 / self._weight(camera)
                frame, turn.frame = turn.frame, None
                return frame
        return None

    def clear(self) -> None:
        """Drop every frame."""
        for turn in self._turns.values():
            turn.frame = None

    def _weight(self, camera: str) -> float:
        turn = self._turns[camera]
        moving = MOVING_FACTOR if turn.is_moving else 1.0
        return turn.limit.share * moving * (FIRST_FACTOR if camera == self._first else 1.0)
