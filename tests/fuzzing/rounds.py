"""A round of cases through one entrance: what broke, and how much memory stays taken."""

import ctypes
import faulthandler
import gc
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from fuzzing.invariants import resident

HANG = 150.0
"""A case that takes longer ends the process with the stack of every thread [s]."""
SHOWN = 600
"""Length of a message in a finding [characters]."""
ALLOWED_GROWTH = 4.0
"""Memory that one repetition of the same cases may take for good [MB]: noise of allocator and caches."""
REPETITIONS = 4
"""Repetitions of the same cases in which memory must stand still once: bounded caches fill, leaks go on."""
MOST_MISSED = 3
"""Cases in a round that cannot be delivered before the others are left out: each takes its whole wait."""
_libc = ctypes.CDLL(None)


@dataclass(frozen=True)
class Door:
    """One way in: its name, odd values for it, and what delivers one of them.

    ``deliver`` returns False if it could not. ``weight`` scales the number of cases: below 1 for cases that
    wait for other processes.
    """

    name: str
    strategy: Callable[[], st.SearchStrategy[Any]]
    deliver: Callable[[Any], bool | None]
    weight: float = 1.0

    def __str__(self) -> str:
        return self.name


@dataclass
class Outcome:
    """Result of a round; ``grown`` is the memory that its second half took for good [MB]."""

    cases: int = 0
    findings: list[str] = field(default_factory=list)
    grown: float = 0.0
    missed: int = 0


def explore(door: Door, count: int, number: int, *, shrink: bool = False) -> Outcome:
    """Put ``count`` cases, derived from the seed ``number``, through a door."""
    outcome = Outcome()

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(value=door.strategy())
    def put(value: Any) -> None:
        if outcome.missed >= MOST_MISSED:
            return
        faulthandler.dump_traceback_later(HANG, exit=True)
        try:
            if door.deliver(value) is False:
                outcome.missed += 1
            else:
                outcome.cases += 1
        except BaseException:
            outcome.cases += 1
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            put()
        except Exception as error:
            outcome.findings.append(f"{door}: {_described(error)}")
    return outcome


def explore_with_memory(door: Door, count: int, number: int) -> Outcome:
    """Put cases through a door; that memory grows with every repetition of half of them is a finding."""
    half = max(1, count // 2)
    outcome = explore(door, half, number)
    growths: list[float] = []
    for _ in range(REPETITIONS):
        before = settled_memory()
        again = explore(door, half, number + 1)
        growths.append(settled_memory() - before)
        if len(growths) == 1:
            outcome.cases += again.cases
            outcome.findings += again.findings
        if growths[-1] <= ALLOWED_GROWTH:
            break
    else:
        told = ", ".join(f"{growth:.1f}" for growth in growths)
        outcome.findings.append(f"{door}: each repetition of the same {half} cases keeps memory: {told} MB")
    outcome.grown = round(growths[-1], 2)
    return outcome


def settled_memory() -> float:
    """Return the memory of this process [MB] after garbage and free pages were given back."""
    gc.collect()
    _libc.malloc_trim(0)
    return resident()


def _described(error: BaseException) -> str:
    causes = "".join(f" <- {cause!r}"[:SHOWN] for cause in getattr(error, "exceptions", ()))
    notes = " ".join(note for note in getattr(error, "__notes__", ()) if "while generating" not in note)
    return f"{type(error).__name__}: {str(error)[:SHOWN]}{causes} | {notes}"[: 3 * SHOWN]
