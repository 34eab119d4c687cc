"""Actions of a policy as positions of joints, within the limits of the robot."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from openral_core.arrays import Array, Joints
from openral_core.policies import ActionGroup, ActionKind, ActionSpec, JointLimits
from openral_core.skill_errors import Blocked, SkillFailed

MAX_ACTIONS = 1000
"""Longest accepted chunk [actions]; the longest of published policies have 100."""


class UnusableAnswer(SkillFailed):
    """An answer of a policy without usable actions."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the policy's answer cannot be used: {problem}")


class ActionOutsideEnvelope(SkillFailed):
    """An action that the robot's limits forbid."""

    def __init__(self, number: int, joint: str, problem: str) -> None:
        super().__init__(f"action {number} of the policy's answer is refused: {joint} {problem}")


def chunk_of(answer: Mapping[str, object], spec: ActionSpec) -> Array:
    """Return the actions of an answer, shape (actions, numbers of an action).

    Raises:
        UnusableAnswer: If there are none of that shape, or a number is not finite.
    """
    actions = answer.get(spec.key)
    if not isinstance(actions, np.ndarray):
        keys = ", ".join(sorted(map(str, answer)))[:200]
        raise UnusableAnswer(f"it has no array {spec.key!r}; its keys are {keys or '(none)'}")
    if actions.ndim != 2 or actions.shape[1] != spec.width or not 1 <= len(actions) <= MAX_ACTIONS:
        raise UnusableAnswer(
            f"{spec.key!r} has the shape {actions.shape}, expected (1 to {MAX_ACTIONS}, {spec.width})"
        )
    if actions.dtype.kind not in "fiu":
        raise UnusableAnswer(f"{spec.key!r} holds {actions.dtype}, expected numbers")
    chunk = actions.astype(np.float64)
    if not np.isfinite(chunk).all():
        row, column = np.argwhere(~np.isfinite(chunk))[0]
        raise UnusableAnswer(f"number {column} of action {row} is {chunk[row, column]}")
    return chunk


def is_done(answer: Mapping[str, object], spec: ActionSpec) -> bool:
    """Return True if the policy says that it has ended.

    Raises:
        UnusableAnswer: If what it says is neither a truth value nor a number.
    """
    flag = answer.get(spec.done_key, False) if spec.done_key else False
    if not isinstance(flag, bool | int | float | np.generic | np.ndarray):
        raise UnusableAnswer(f"{spec.done_key!r} is a {type(flag).__name__}, expected a truth value")
    return bool(np.all(flag))


@dataclass(frozen=True)
class _Base:
    """Positions to which numbers refer, and the period of actions [s]."""

    previous: Joints
    observed: Joints
    period: float


_TO_POSITIONS: Mapping[ActionKind, Callable[[Array, _Base], Array]] = {
    ActionKind.POSITION: lambda numbers, base: numbers,
    ActionKind.DELTA: lambda numbers, base: base.previous + np.cumsum(numbers, axis=0),
    ActionKind.OFFSET: lambda numbers, base: base.observed + numbers,
    ActionKind.VELOCITY: lambda numbers, base: base.previous + np.cumsum(numbers * base.period, axis=0),
}


def positions_of(chunk: Array, spec: ActionSpec, period: float, previous: Joints, observed: Joints) -> Array:
    """Convert actions to positions of the joints of a layout.

    Args:
        chunk: Actions, shape (N, numbers of an action).
        spec: Their meaning.
        period: Time between two actions [s].
        previous: Commanded positions before the first action, shape (joints,).
        observed: Measured positions in the observation, shape (joints,).

    Returns:
        Positions [rad] or [m], shape (N, joints).
    """
    columns, joint, number = [], 0, 0
    for group in spec.layout:
        own = slice(joint, joint + len(group.joints))
        numbers = _in_units(chunk[:, number : number + group.width], group)
        if group.joints:
            base = _Base(previous[own], observed[own], period)
            with np.errstate(over="ignore"):  # an infinite position is outside every range
                columns.append(_TO_POSITIONS[group.kind](numbers, base))
        joint, number = own.stop, number + group.width
    return np.hstack(columns)


def _in_units(numbers: Array, group: ActionGroup) -> Array:
    if group.unit_range is None:
        return numbers
    zero, one = group.unit_range
    return zero + numbers * (one - zero)


class Envelope:
    """Limits of joints, in the order of a layout, at a period of actions [s].

    ``may_stall`` tells the joints that may stop before their command, shape (joints,).
    """

    def __init__(self, joints: tuple[str, ...], limits: Mapping[str, JointLimits], period: float) -> None:
        self._joints = joints
        own = [limits[joint] for joint in joints]
        self._low, self._high = (np.array([each.range[end] for each in own]) for end in (0, 1))
        self._excess, self._jump, self._step = (
            np.array([getattr(each, name) for each in own]) for name in ("excess", "jump", "speed")
        )
        self._step *= period
        self._lag = np.array([inf if each.lag is None else each.lag for each in own])
        self.may_stall = np.isinf(self._lag)

    def check(self, positions: Array, previous: Joints) -> None:
        """Return if all actions, shape (N, joints), are within reach of the limits.

        Raises:
            ActionOutsideEnvelope: If one is far beyond a range, or far from the one before it.
        """
        beyond = np.maximum(self._low - positions, positions - self._high)
        with np.errstate(invalid="ignore", over="ignore"):  # what is infinite is beyond its range
            jumps = np.abs(np.diff(positions, axis=0, prepend=previous[None]))
        for number, joint in np.argwhere(beyond > self._excess)[:1]:
            position, low, high = positions[number, joint], self._low[joint], self._high[joint]
            raise ActionOutsideEnvelope(
                number, self._joints[joint], f"at {position:.3g}, its range is {low:.3g} to {high:.3g}"
            )
        for number, joint in np.argwhere(jumps > self._jump)[:1]:
            jump, most = jumps[number, joint], self._jump[joint]
            raise ActionOutsideEnvelope(
                number, self._joints[joint], f"jumps by {jump:.3g}, at most {most:.3g} are accepted"
            )

    def in_range(self, positions: Array) -> Array:
        """Return positions, shape (N, joints), limited to the ranges."""
        return np.clip(positions, self._low, self._high)

    def limited(self, target: Joints, previous: Joints) -> Joints:
        """Return the position nearest to ``target``, which is in range, that is reached within one period."""
        return previous + np.clip(target - previous, -self._step, self._step)

    def check_lag(self, command: Joints, measured: Joints) -> None:
        """Return if the joints follow their commands.

        Raises:
            Blocked: If one does not.
        """
        lag = np.abs(command - measured)
        for (joint,) in np.argwhere(lag > self._lag)[:1]:
            raise Blocked(
                f"{self._joints[joint]} is {lag[joint]:.3g} from its command, at most {self._lag[joint]:.3g}"
                " are accepted: it is obstructed, or its controller does not follow"
            )
