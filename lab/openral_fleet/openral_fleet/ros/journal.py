"""Journal of the fleet node: the state of its list, on the disk before anything is dispatched."""

import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from openral_core.errors import OpenRALError
from openral_core.files import read_bytes, replace_file, sync_folder
from openral_core.parsing import MAX_JSON
from openral_fleet.errands import Errand
from openral_fleet.records import FleetState
from openral_reasoner.context import FrozenModel
from openral_reasoner_ros.journal import MissionClock

JOURNAL_FILE = "fleet.journal"
FORMAT = 1  # Version of the journal.


class UnusableJournal(OpenRALError):
    """A journal that cannot be read, or that belongs to another list which has not ended."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"{path} {why}: go on with the list and version that wrote it, or delete it once no robot works "
            "on its errands"
        )


class JournalContent(FrozenModel):
    """State of a list at steady time ``now`` and wall-clock time ``wall`` [s]."""

    journal: int = FORMAT
    now: float
    wall: float
    state: FleetState


class FleetJournal:
    """File with the state of one list; written whole, since a list is short and changes seldom.

    Args:
        folder: Receives ``fleet.journal``; None keeps no journal.
        clock: Steady time, which goes on across restarts.
        log: Told once when writing fails.
    """

    def __init__(self, folder: Path | None, clock: MissionClock, log: Callable[[str], object]) -> None:
        self._path = folder / JOURNAL_FILE if folder is not None else None
        self._clock, self._log = clock, log
        self._written: FleetState | None = None
        self._is_failing = False

    def begin(self, errands: tuple[Errand, ...]) -> FleetState:
        """Return the state to go on from: that of an earlier process with this list, else a new one.

        Raises:
            UnusableJournal: If the journal is damaged, or another list of it has not ended.
        """
        content = self._read()
        if content is not None and not content.state.ended:
            if tuple(record.errand for record in content.state.records) != errands:
                raise UnusableJournal(self._path or Path(JOURNAL_FILE), "is of another list of errands")
            self._clock.continue_from(content.now, content.wall)
            return content.state
        return FleetState.of(uuid4().hex[:12], errands, self._clock())

    def write(self, state: FleetState) -> bool:
        """Write a state to the disk if it has changed; return whether the disk has it."""
        if self._path is None or state == self._written:
            return True
        content = JournalContent(now=self._clock(), wall=time.time(), state=state)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, content.model_dump_json())
            sync_folder(self._path.parent)
        except OSError as error:
            self._fail(error)
            return False
        self._written, self._is_failing = state, False
        return True

    def _read(self) -> JournalContent | None:
        if self._path is None or not self._path.is_file():
            return None
        try:
            content = JournalContent.model_validate_json(read_bytes(self._path, MAX_JSON))
        except (OSError, ValueError) as error:
            raise UnusableJournal(self._path, f"cannot be read ({type(error).__name__})") from error
        if content.journal != FORMAT:
            raise UnusableJournal(self._path, f"has format {content.journal}, not {FORMAT}")
        return content

    def _fail(self, error: OSError) -> None:
        if not self._is_failing:
            self._is_failing = True
            self._log(f"Journal {self._path} cannot be written: {error}. Nothing is dispatched until it can.")
