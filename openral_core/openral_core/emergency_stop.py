"""Emergency stop of a robot: its latched state, and the file that carries it over a restart."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from openral_core.files import replace_file, sync_folder
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillStatus

REASON_CHARACTERS = 200
"""Longest reason that is kept [characters]."""
NO_REASON = "no reason given"
STOP_EVIDENCE = "emergency_stop"
"""Key of the evidence with the reason of an emergency stop."""


class StopState(BaseModel):
    """State of the emergency stop; an empty ``reason`` is no stop, ``since`` is Unix time [s]."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    reason: str = Field(default="", max_length=REASON_CHARACTERS)
    since: float = 0.0

    @classmethod
    def stopped(cls, reason: str, now: float) -> "StopState":
        """Return a stop at Unix time ``now`` [s]; a blank reason becomes `NO_REASON`."""
        return cls(reason=" ".join(reason.split())[:REASON_CHARACTERS] or NO_REASON, since=now)


class EmergencyStopped(SkillFailed):
    """A goal for a robot that is stopped."""

    status = SkillStatus.INACTIVE

    def __init__(self, reason: str) -> None:
        self.evidence = {STOP_EVIDENCE: reason}
        super().__init__(f"emergency stop: {reason}; nothing moves until `openral release`")


class StopFile:
    """File of the state; a state that cannot be read is a stop.

    Args:
        path: Created on the first change; without one a restart forgets the stop.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self, now: float) -> StopState:
        """Read the state at Unix time ``now`` [s]; a file that does not exist is no stop."""
        if self._path is None:
            return StopState()
        try:
            return StopState.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return StopState()
        except (OSError, ValueError) as error:  # pydantic's ValidationError is a ValueError
            kind = type(error).__name__
            return StopState.stopped(f"the state in {self._path} cannot be read ({kind})", now)

    def write(self, state: StopState) -> None:
        """Replace the state so that it survives a loss of power.

        Raises:
            OSError: If it cannot be written.
            ValueError: If its path is invalid.
        """
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._path, state.model_dump_json())
        sync_folder(self._path.parent)
