"""Record that the skill server keeps of every goal it executes, and the steps that it did more than once."""

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rclpy.action.server import ServerGoalHandle

from openral_core.skills import SkillStatus, Verb
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.skills import params_of

FILE = "goals.jsonl"
Execute = Callable[[ServerGoalHandle], Awaitable[ExecuteRskill.Result]]


@dataclass(frozen=True, slots=True)
class ExecutedGoal:
    """One execution of a goal; times in [s] since the epoch, ``status`` empty while it runs.

    A goal without a status ran when its server died.
    """

    id: str
    verb: str
    names: tuple[str, ...]
    began: float
    ended: float = 0.0
    status: str = ""

    @property
    def success(self) -> bool:
        """True if the goal was reached."""
        return self.status == SkillStatus.SUCCEEDED.name


def logged(execute: Execute, folder: Path) -> Execute:
    """Return ``execute`` with a line in the log before and after each goal."""

    async def run(handle: ServerGoalHandle) -> ExecuteRskill.Result:
        goal_id = bytes(handle.goal_id.uuid).hex()
        params = params_of(handle.request.params)
        names = [value for _, value in sorted(params.items()) if isinstance(value, str)]
        _append(folder, {"id": goal_id, "verb": handle.request.rskill_id, "names": names})
        result = await execute(handle)
        _append(folder, {"id": goal_id, "status": SkillStatus(result.status).name})
        return result

    return run


def executed(folder: Path) -> list[ExecutedGoal]:
    """Read the executions in the order in which they began."""
    goals: list[ExecutedGoal] = []
    running: dict[str, int] = {}
    path = folder / FILE
    for content in map(json.loads, path.read_text().splitlines() if path.is_file() else ()):
        if "verb" in content:
            running[content["id"]] = len(goals)
            goals.append(ExecutedGoal(content["id"], content["verb"], tuple(content["names"]), content["at"]))
        else:
            place = running.pop(content["id"])
            goals[place] = replace(goals[place], ended=content["at"], status=content["status"])
    return goals


def done_twice(goals: Sequence[ExecutedGoal]) -> list[str]:
    """Return the acting steps that were done again although nothing had undone them.

    A goal id that is executed twice counts, whatever its skill.
    """
    return [*_repeated_ids(goals), *_repeated_effects(goals)]


def _repeated_ids(goals: Sequence[ExecutedGoal]) -> Iterator[str]:
    seen: set[str] = set()
    for goal in goals:
        if goal.id in seen:
            yield f"{goal.verb} {' '.join(goal.names)}: goal {goal.id} executed twice"
        seen.add(goal.id)


def _repeated_effects(goals: Sequence[ExecutedGoal]) -> Iterator[str]:
    """Yield successful goals whose effect was already there."""
    done: set[tuple[str, ...]] = set()
    for goal in (goal for goal in goals if goal.success):
        effect, undone = _effect(goal)
        if effect in done:
            yield f"{goal.verb} {' '.join(goal.names)}: done already"
        done -= undone
        done |= {effect} if effect else set()


def _effect(goal: ExecutedGoal) -> tuple[tuple[str, ...], set[tuple[str, ...]]]:
    """Return what a goal brings about, and the effects that it ends; () if it changes nothing."""
    match goal.verb.upper():
        case Verb.OPEN:
            return ("open", *goal.names), {("closed", *goal.names)}
        case Verb.CLOSE:
            return ("closed", *goal.names), {("open", *goal.names)}
        case Verb.GRASP:
            return ("holding",), {("let go",)}
        case Verb.PLACE | Verb.HANDOVER:
            return ("let go",), {("holding",)}
        case Verb.POUR:
            return ("poured", *goal.names), set()
        case _:
            return (), set()


def _append(folder: Path, content: dict[str, Any]) -> None:
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps({**content, "at": time.time()}) + "\n")
