"""One run over the entrances of one node: cases, invariants after each, and a normal question."""

import faulthandler
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from fuzzing.entrances import Attack, Entrance
from fuzzing.hostile_peers import HostilePeers
from fuzzing.invariants import InvariantBroken, outgoing_messages, unfinished_pose, writes_outside
from fuzzing.message_values import Vocabulary
from fuzzing.parameters import parameter_doors
from fuzzing.rig import Rig
from fuzzing.rounds import HANG, SHOWN, Door, Outcome, explore, explore_with_memory
from openral_core.errors import OpenRALError
from openral_ros.callback_guard import CallbackGuard

FOREIGN = ("set_parameters", "set_parameters_atomically")
"""Services of rclpy that raise on an unknown type of parameter; ours answers for them that all is refused."""


@dataclass
class Session:
    """Fuzzing of one rig; counts the cases of every entrance and collects what broke."""

    rig: Rig
    attack: Attack
    peers: HostilePeers = field(init=False)
    raised: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    cases: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    @cached_property
    def doors(self) -> tuple[Door, ...]:
        """Every entrance of the node, from the graph and from its own lists of parameters and clients."""
        vocabulary = self.attack.vocabulary
        return (
            *(self._entrance_door(entrance) for entrance in self.attack.entrances()),
            *self.peers.doors(),
            *parameter_doors(self.rig, vocabulary),
        )

    def batch(self, door: Door, count: int, number: int, *, shrink: bool = False) -> Outcome:
        """Put ``count`` cases through a door; findings are kept."""
        return self._kept(door, explore(self._checked(door), count, number, shrink=shrink))

    def measured_batch(self, door: Door, count: int, number: int) -> Outcome:
        """Put cases through a door and require memory to stand still; findings are kept."""
        return self._kept(door, explore_with_memory(self._checked(door), count, number))

    def _kept(self, door: Door, outcome: Outcome) -> Outcome:
        self.cases[str(door)] += outcome.cases
        self.findings += outcome.findings
        return outcome

    def _entrance_door(self, entrance: Entrance) -> Door:
        return Door(
            str(entrance),
            lambda: self.attack.strategy(entrance),
            lambda value: self.attack.deliver(entrance, value),
        )

    def _checked(self, door: Door) -> Door:
        def deliver(value: Any) -> bool | None:
            delivered = door.deliver(value)
            self._check()
            return delivered

        return replace(door, deliver=deliver)

    def _check(self) -> None:
        """Require the invariants that hold after every case.

        Raises:
            InvariantBroken: If one does not.
        """
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
            session.peers = HostilePeers(rig, Vocabulary())
            session.attack.learn()
            session.peers.vocabulary = session.attack.vocabulary
            yield session
    finally:
        CallbackGuard.record = record  # type: ignore[method-assign]
        session.attack.close()
