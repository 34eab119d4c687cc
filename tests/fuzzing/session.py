"""One run over the entrances of one node: cases, invariants after each, and a normal question."""

import faulthandler
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzzing.entrances import Attack, Entrance
from fuzzing.invariants import InvariantBroken, outgoing_messages, resident, unfinished_pose, writes_outside
from fuzzing.rigs import Rig
from openral_core.errors import OpenRALError
from openral_ros.callback_guard import CallbackGuard

FOREIGN = ("set_parameters", "set_parameters_atomically")
"""Services of rclpy that raise on an unknown type of parameter; ours answers for them that all is refused."""
HANG = 150.0
"""A case that takes longer ends the process with the stack of every thread [s]."""
GROWTH = 300.0
"""Memory that a node may gain in a session [MB]: bounded caches fill."""
SHOWN = 600
"""Length of a message in a finding [characters]."""


@dataclass
class Session:
    """Fuzzing of one rig; counts the cases of every entrance and collects what broke."""

    rig: Rig
    attack: Attack
    raised: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    cases: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def batch(self, entrance: Entrance, count: int, number: int, *, shrink: bool = True) -> None:
        """Put ``count`` cases through an entrance; findings are kept."""
        began = time.monotonic()
        phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)

        @seed(number)
        @settings(
            max_examples=count,
            database=None,
            phases=phases,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(message=self.attack.strategy(entrance))
        def put(message: Any) -> None:
            self._case(entrance, message)

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                put()
        except Exception as error:
            self.findings.append(f"{entrance}: {_described(error)}")
        self.seconds[str(entrance)] = round(time.monotonic() - began, 2)

    def _case(self, entrance: Entrance, message: Any) -> None:
        self.cases[str(entrance)] += 1
        faulthandler.dump_traceback_later(HANG, exit=True)
        try:
            self.attack.deliver(entrance, message)
        finally:
            faulthandler.cancel_dump_traceback_later()
        for kept, what in ((self.raised, "raised"), (self.unfinished, "pose"), (self.written, "wrote")):
            if kept:
                told = "; ".join(kept[:3])
                kept.clear()
                raise InvariantBroken(f"{what}: {told}")

    def question(self, after: object) -> None:
        """Bring the node back to work and ask the normal question."""
        faulthandler.dump_traceback_later(2 * HANG, exit=True)
        try:
            self.rig.activate()
            self.rig.ask()
        except AssertionError as error:
            self.findings.append(f"{after}: after it the normal question fails: {error}")
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def session_of(rig: Rig) -> Iterator[Session]:
    """Yield a session with its watchers in place."""
    session = Session(rig, Attack(rig))
    record = CallbackGuard.record

    def noted(self: CallbackGuard, source: str, error: BaseException) -> None:
        typed = isinstance(error, OpenRALError) or source.endswith(FOREIGN)
        if not typed:
            session.raised.append(f"{source}: {type(error).__name__}: {error}"[:SHOWN])
        record(self, source, error)

    def sent(message: Any) -> None:
        if found := unfinished_pose(message):
            session.unfinished.append(f"{type(message).__name__}{found}")

    CallbackGuard.record = noted  # type: ignore[method-assign]
    try:
        with outgoing_messages(sent), writes_outside(rig.folder) as session.written:
            session.attack.learn()
            before = resident()
            yield session
            if (grown := resident() - before) > GROWTH:
                session.findings.append(f"{rig.name}: its memory grew by {grown:.0f} MB")
    finally:
        CallbackGuard.record = record  # type: ignore[method-assign]
        session.attack.close()


def _described(error: BaseException) -> str:
    notes = " ".join(note for note in getattr(error, "__notes__", ()) if "while generating" not in note)
    return f"{type(error).__name__}: {error} | {notes}"[: 3 * SHOWN]
