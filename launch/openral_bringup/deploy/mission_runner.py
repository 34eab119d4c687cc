"""Missions of one deployment: wait for the graph, send the goals in order, report their outcomes."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from openral_bringup.deploy.monitor_node import GraphSnapshot, MissionSnapshot, MonitorNode
from openral_core.missions import MissionState
from openral_reasoner.budget import cost_words

NOT_UP = 4
"""Exit code if the graph did not come up."""
_VERDICTS = {
    MissionState.SUCCEEDED: "done",
    MissionState.HANDED_OVER: "handed over to a human",
    MissionState.CLAIMED: "claimed, not proven",
}


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Outcome of one goal; times in [s], ``problem`` if there is no finished mission."""

    goal: str
    mission: MissionSnapshot
    start_up: float
    duration: float
    sim_duration: float
    problem: str = ""

    @property
    def exit_code(self) -> int:
        """Exit code: 0 reached, 1 failed, 3 handed over, 4 no answer from graph or reasoner, 5 not proven."""
        state = self.mission.state
        return state.exit_code if state.ended and not self.problem else NOT_UP


def report(outcome: RunOutcome, folder: Path) -> str:
    """Format the outcome of one goal for a terminal."""
    mission = outcome.mission
    verdict = _VERDICTS.get(mission.state, mission.state.name.lower())
    verdict = outcome.problem or f"{verdict}: {mission.reason or mission.step}"
    lines = [f"goal       {outcome.goal}", f"outcome    {verdict}", "steps"]
    lines += [
        f"  {call.index:>2}  {call.tool:<16} {call.status:<20} {call.duration:5.1f} s  "
        + first_line(call.message)
        for call in mission.calls
    ] or ["  none"]
    if mission.searched:
        lines += ["searched", *(f"  - {place}" for place in mission.searched)]
    if mission.evidence:
        lines += ["evidence", *(f"  - {first_line(fact)}" for fact in mission.evidence)]
    lines.append(f"cost       {cost_words({name: used for name, (used, _) in mission.budget.items()})}")
    times = f"{outcome.duration:.1f} s ({outcome.sim_duration:.1f} s simulated)"
    lines += [f"time       {times}, graph up in {outcome.start_up:.1f} s", f"recording  {folder}"]
    return "\n".join(lines)


def save(outcome: RunOutcome, folder: Path) -> None:
    """Append one outcome to ``folder``/outcomes.jsonl."""
    content = {**asdict(outcome), "exit_code": outcome.exit_code, "state": outcome.mission.state.name}
    with (folder / "outcomes.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(content) + "\n")


def first_line(text: str) -> str:
    """Return the first line of a text, shortened to 100 characters."""
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 100 else first[:99] + "…"


REASONER_DIED = "the reasoner died during the mission, and no restart of it went on with the mission"
INTERRUPTED = "interrupted before the mission ended"
GOAL_NOT_ACCEPTED = "the reasoner has not acknowledged the goal"
GOAL_REFUSED = "the reasoner refused the goal: {}"
POLL_PERIOD = 0.1
"""Time between two checks of an awaited condition [s]."""


@dataclass(frozen=True, slots=True)
class RunTimeouts:
    """Longest waits [s]; a goal without a receipt is published again.

    ``last_words`` is how long reports of a reasoner that died may still arrive.
    """

    start_up: float = 90.0
    receipt: float = 2.0
    mission: float = 900.0
    resumption: float = 60.0
    last_words: float = 0.5
    memories: float = 5.0


class MissionRunner:
    """Runner of the goals of one deployment; every wait is bounded."""

    def __init__(
        self,
        monitor: MonitorNode,
        folder: Path,
        timeouts: RunTimeouts,
        alarms: Callable[[], Sequence[str]],
        deaths: Callable[[], Mapping[str, int]],
    ) -> None:
        self._monitor, self._folder, self._timeouts = monitor, folder, timeouts
        self._alarms, self._deaths = alarms, deaths
        self.started = time.monotonic()

    @property
    def elapsed(self) -> float:
        """Time since the start [s]."""
        return time.monotonic() - self.started

    async def run(self, goals: Sequence[str], on_outcome: Callable[[RunOutcome], None]) -> int:
        """Wait for the graph and pursue the goals in order.

        Returns:
            The exit code of the first goal that was not reached, else 0.
        """
        start_up, worst = 0.0, 0
        for goal in goals:
            start = self.elapsed
            try:
                ready = await self.wait_until_ready()
                start_up = start_up or self.elapsed
                outcome = await self.run_goal(goal, start_up) if ready else self.not_up(goal)
            except asyncio.CancelledError:
                took = self.elapsed - start
                on_outcome(RunOutcome(goal, self.snapshot.mission, start_up, took, 0.0, INTERRUPTED))
                raise
            on_outcome(outcome)
            worst = worst or outcome.exit_code
        return worst

    async def wait_until_ready(self) -> bool:
        """Wait until the graph accepts goals, also after a node has died; return whether it does."""
        await self._until(lambda: self.is_up() or self.has_failed(), self._timeouts.start_up)
        ready = self.is_up()
        await self._until(lambda: bool(self.snapshot.remembered), self._timeouts.memories if ready else 0.0)
        return ready

    async def idle(self) -> int:
        """Keep the graph up until cancelled."""
        await asyncio.Event().wait()
        return 0

    async def run_goal(self, goal: str, start_up: float = 0.0) -> RunOutcome:
        """Send one goal and wait for the end of its mission."""
        start, before = time.monotonic(), self.snapshot
        delivered = await self._deliver(goal)
        problem = GOAL_NOT_ACCEPTED if delivered is None else await self._problem(*delivered)
        took, simulated = time.monotonic() - start, self.snapshot.sim_time - before.sim_time
        return RunOutcome(goal, self.snapshot.mission, start_up, took, simulated, problem)

    async def _deliver(self, goal: str) -> tuple[str, int] | None:
        """Publish a goal until the reasoner acknowledges it, which may just be restarting.

        Returns:
            The prompt's id and the reasoner's number of deaths before the last publication.
        """
        deaths, prompt = self._reasoner_deaths(), self._monitor.send_goal(goal)
        deadline = time.monotonic() + self._timeouts.start_up
        while not await self._until(lambda: prompt in self.snapshot.receipts, self._timeouts.receipt):
            if time.monotonic() > deadline:
                return None
            deaths = self._reasoner_deaths()
            self._monitor.send_goal(goal, prompt)
        return prompt, deaths

    async def _problem(self, prompt: str, deaths: int) -> str:
        """Wait for the end of an acknowledged mission; return why it has none, or ""."""
        receipt = self.snapshot.receipts[prompt]
        if receipt.refused:
            return GOAL_REFUSED.format(receipt.message)
        deadline = time.monotonic() + self._timeouts.mission
        while not await self._ends(receipt.mission, deaths, deadline):
            if self._reasoner_deaths() == deaths:
                return f"the mission did not end within {self._timeouts.mission:.0f} s"
            deaths = self._reasoner_deaths()
            if not await self._is_resumed(receipt.mission):
                return REASONER_DIED
        return ""

    async def _ends(self, mission_id: str, deaths: int, deadline: float) -> bool:
        """Wait for a mission, its reasoner or the time to end; return whether the mission did."""
        await self._until(
            lambda: self._ended(mission_id) or self._reasoner_deaths() > deaths, deadline - time.monotonic()
        )
        return self._ended(mission_id)

    async def _is_resumed(self, mission_id: str) -> bool:
        """Return whether the restarted reasoner reports the mission of the one that died."""
        await asyncio.sleep(self._timeouts.last_words)
        reported = self.snapshot.reports
        await self._until(lambda: self.snapshot.reports > reported, self._timeouts.resumption)
        return self.snapshot.reports > reported and self.snapshot.mission.id == mission_id

    def not_up(self, goal: str) -> RunOutcome:
        """Return the outcome of a goal for which the graph did not come up: what is missing, and alarms."""
        down = [f"{name} is {state}" for name, state in self.snapshot.nodes.items() if state != "active"]
        summary = ", ".join(down) or "no status from bring-up"
        missing = "\n".join([summary, *self._alarms(), f"see {self._folder / 'logs'}"])
        problem = f"the graph did not come up in {self.elapsed:.0f} s: {missing}"
        return RunOutcome(goal, MissionSnapshot(), self.elapsed, 0.0, 0.0, problem)

    @property
    def snapshot(self) -> GraphSnapshot:
        """State of the graph now."""
        return self._monitor.snapshot

    def is_up(self) -> bool:
        """Return whether every node has reached its final state and the reasoner receives prompts."""
        states = self.snapshot.nodes
        final = ("active", "inactive", "given up")
        settled = bool(states) and all(state.startswith(final) for state in states.values())
        return settled and self.snapshot.palette_known and self._monitor.reasoner_listens()

    def has_failed(self) -> bool:
        """Return whether bring-up has given up a node that every goal needs."""
        states = self.snapshot.nodes
        needed = (f"{self._monitor.namespace}/{name}" for name in ("sim", "reasoner"))
        return any(states.get(name, "").startswith("given up") for name in needed)

    def _ended(self, mission_id: str) -> bool:
        mission = self.snapshot.mission
        return mission.id == mission_id and mission.state.ended

    def _reasoner_deaths(self) -> int:
        return self._deaths().get("reasoner", 0)

    async def _until(self, condition: Callable[[], bool], timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL_PERIOD)
        return True
