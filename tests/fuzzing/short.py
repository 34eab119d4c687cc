"""A seeded part of the fuzz, short enough for every run of the tests."""

import time
import warnings
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from fuzzing.documents import FileEntrance, damaged
from fuzzing.rig import Rig
from fuzzing.session import Session, session_of

THOROUGH = settings().max_examples > 100
"""Whether the profile of `make test-all` is loaded."""
PER_ENTRANCE, PER_FILE = (10, 100) if THOROUGH else (3, 15)
"""Cases of an entrance of a node, and of a file."""
SEED = 7
SLOWEST = 5.0
"""Longest time that a file takes to be read or refused [s], on a loaded machine."""


def fuzz_node(rig: Rig, judge: Callable[[Session], object]) -> None:
    """Put cases through every entrance of a node, ask the normal question, and judge the session."""
    with session_of(rig) as session:
        for number, door in enumerate(session.doors):
            session.batch(door, PER_ENTRANCE if door.weight == 1.0 else 1, SEED + number, shrink=True)
        session.question("all of it")
        assert not session.findings, session.findings
        judge(session)
        unreached = [str(door) for door in session.doors if not session.cases[str(door)]]
        assert not unreached, unreached


def fuzz_file(entrance: FileEntrance, folder: Path) -> None:
    """Have damaged contents of a file read or refused."""
    _deliver_each(damaged(entrance.prepare(folder)), lambda content: entrance.deliver(content, folder))


def fuzz_structure(entrance: FileEntrance, contents: st.SearchStrategy[bytes], folder: Path) -> None:
    """Have contents of hostile structure read or refused in time.

    Args:
        entrance: A file that is prepared in the folder.
        contents: Strategy of contents.
        folder: Where the file is.
    """

    def deliver_in_time(content: bytes) -> None:
        begun = time.process_time()
        entrance.deliver(content, folder)
        assert time.process_time() - begun < SLOWEST

    _deliver_each(contents, deliver_in_time)


def _deliver_each(contents: st.SearchStrategy[bytes], deliver: Callable[[bytes], object]) -> None:
    """Deliver `PER_FILE` seeded contents; warnings are no failure."""

    @seed(SEED)
    @settings(
        max_examples=PER_FILE,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(content=contents)
    def load(content: bytes) -> None:
        deliver(content)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load()
