"""Motion of one goal by a policy: once per period an action is checked, limited and commanded."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from rclpy.task import Future

from openral_core.arrays import Joints
from openral_core.policies import PolicyContract
from openral_core.skill_errors import SkillFailed
from openral_skills_ros.backends.backend import Run, Stopped
from openral_skills_ros.backends.policy.actions import Envelope, chunk_of, is_done, positions_of
from openral_skills_ros.backends.policy.client import Message
from openral_skills_ros.backends.policy.controllers import Controllers
from openral_skills_ros.backends.policy.observation import JointStates, ObservationReader, StaleInput

SAME = 1e-9
"""Difference of positions that is rounding [rad] or [m]."""


@dataclass
class Tally:
    """Counts of one motion, and what ended it: ``done`` or ``max_duration``."""

    queries: int = 0
    actions: int = 0
    limited: int = 0
    ended_by: str = ""


@dataclass(frozen=True)
class MovedJoints:
    """Joints that a policy moves: their order, envelope, states and controllers.

    ``guard`` raises `SkillFailed` if the robot has to hold for a reason of its own.
    """

    joints: tuple[str, ...]
    envelope: Envelope
    states: JointStates
    controllers: Controllers
    guard: Callable[[], None]

    @property
    def measured(self) -> Joints:
        """Measured positions [rad] or [m]."""
        return self.states.positions(self.joints)

    def command(self, positions: Joints) -> None:
        """Command positions of all joints."""
        self.controllers.command(dict(zip(self.joints, map(float, positions), strict=True)))


class PolicyMotion:
    """State of a motion; all calls belong to the node's executor. It holds whenever it has no action."""

    def __init__(
        self,
        contract: PolicyContract,
        body: MovedJoints,
        reader: ObservationReader,
        run: Run,
        watchdog: float,
    ) -> None:
        self._contract, self._body, self._reader, self._run = contract, body, reader, run
        self._watchdog = watchdog
        self._period = 1.0 / contract.rate
        self._envelope = body.envelope
        self._command = self._target = self._observed = body.measured
        self._plan: deque[Joints] = deque()
        self._begun = self._acted = monotonic()
        self._connected = self._awaiting = self._is_done = False
        self._holding = True
        self.ask: Callable[[Message], None] | None = None
        self.ended = Future()
        self.tally = Tally()

    def tick(self) -> None:
        """Do what is due in this period."""
        self._guarded(self._advance)

    def on_event(self, event: Message | SkillFailed) -> None:
        """Take the server's metadata, an answer, or a failure."""
        self._guarded(lambda: self._take(event))

    def hold(self) -> None:
        """Command the measured posture; fingers keep their last command, as they may hold something."""
        self._plan.clear()
        fresh = not self._body.states.stale(self._body.joints, self._contract.max_age)
        posture = self._body.measured if fresh else self._command.copy()
        posture[self._envelope.may_stall] = self._command[self._envelope.may_stall]
        self._command = self._target = posture
        self._holding = True
        if self.tally.actions:
            self._body.command(posture)

    def abort(self, reason: str) -> None:
        """End the motion."""
        if not self.ended.done():
            self._end(Stopped(reason))

    def _guarded(self, step: Callable[[], None]) -> None:
        if self.ended.done():
            return
        try:
            step()
        except SkillFailed as error:
            self._end(error)
        except Exception:
            self._end(SkillFailed("the skill server failed while it carried out the policy's actions"))
            raise

    def _end(self, failure: SkillFailed | None) -> None:
        self.hold()
        self.ended.set_result(failure)

    def _advance(self) -> None:
        self._run.check()
        self._check_robot()
        now = monotonic()
        if now - self._begun >= self._contract.max_duration:
            self.tally.ended_by = "max_duration"
            self._end(None)
        elif self._plan:
            self._act(self._plan.popleft(), now)
        elif self._is_done and not self._approaches(now):
            self.tally.ended_by = "done"
            self._end(None)
        else:
            self._await_answer(now)

    def _check_robot(self) -> None:
        stale = self._body.states.stale(self._body.joints, self._contract.max_age)
        if stale:
            raise StaleInput(stale)
        if not self._holding:
            self._envelope.check_lag(self._command, self._body.measured)
        self._body.guard()

    def _act(self, target: Joints, now: float) -> None:
        self._target, self._acted, self._holding = target, now, False
        self.tally.actions += 1
        self._approach()
        share = (now - self._begun) / self._contract.max_duration
        self._run.report("carrying out the policy's actions", share)

    def _approach(self) -> None:
        """Command the next step to the target, which may be farther than one period of motion."""
        command = self._envelope.limited(self._target, self._command)
        self.tally.limited += int((abs(command - self._target) > SAME).any())
        self._command = command
        self._body.command(command)

    def _await_answer(self, now: float) -> None:
        if self._connected and not (self._awaiting or self._is_done):
            self._ask()
        if self._approaches(now):
            self._approach()
        elif now - self._acted > self._watchdog and not self._holding:
            self._run.report("holding: waiting for the policy", 0.0)
            self.hold()

    def _approaches(self, now: float) -> bool:
        """Return True if the last action's position is still ahead, which a limited command reaches later."""
        ahead = not self._holding and bool((abs(self._target - self._command) > SAME).any())
        return ahead and now - self._acted <= self._watchdog

    def _ask(self) -> None:
        observation = self._reader.read()
        self._observed, self._awaiting = self._body.measured, True
        self.tally.queries += 1
        assert self.ask is not None, "set with the session"
        self.ask(observation)

    def _take(self, event: Message | SkillFailed) -> None:
        if isinstance(event, SkillFailed):
            raise event
        if not self._connected:
            self._connected = True
            return
        spec, self._awaiting = self._contract.action, False
        self._is_done = is_done(event, spec)
        if self._is_done and spec.key not in event:
            return
        chunk = chunk_of(event, spec)[: spec.execute]
        positions = positions_of(chunk, spec, self._period, self._target, self._observed)
        self._envelope.check(positions, self._target)
        self._plan.extend(self._envelope.in_range(positions))
