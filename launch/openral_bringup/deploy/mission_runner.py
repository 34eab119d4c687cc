"""One deployment from start to end: graph up, goals sent and awaited, everything ended."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openral_bringup.deploy.monitor_node import GraphSnapshot, MissionSnapshot, MonitorNode
from openral_bringup.deploy.report import RunOutcome

LOST = "the reasoner died, and its mission with it; it is started again, but a lost mission is not resumed"
INTERRUPTED = "interrupted before the mission had ended"
DEAF = "the reasoner has not acknowledged the goal"
REFUSED = "the reasoner refused the goal: {}"
POLL = 0.1


@dataclass(frozen=True, slots=True)
class RunTimeouts:
    """Longest waits [s]: for the graph, for a goal to be heard before it is said again, for its end."""

    start_up: float = 90.0
    heard: float = 2.0
    mission: float = 900.0
    memories: float = 5.0


class MissionRunner:
    """Drives one deployment; every wait is bounded."""

    def __init__(
        self,
        observer: MonitorNode,
        folder: Path,
        patience: RunTimeouts,
        alarms: Callable[[], Sequence[str]],
        deaths: Callable[[], Mapping[str, int]],
    ) -> None:
        self._observer, self._folder, self._patience = observer, folder, patience
        self._alarms, self._deaths = alarms, deaths
        self.started = time.monotonic()

    @property
    def elapsed(self) -> float:
        """Time since the start [s]."""
        return time.monotonic() - self.started

    async def run(self, goals: Sequence[str], on_outcome: Callable[[RunOutcome], None]) -> int:
        """Bring the graph up and pursue the goals in order.

        Returns:
            The exit code of the first goal that was not reached, else 0.
        """
        start_up, worst = 0.0, 0
        for goal in goals:
            begun = self.elapsed
            try:
                ready = await self.came_up()
                start_up = start_up or self.elapsed
                outcome = await self.pursue(goal, start_up) if ready else self._not_up(goal)
            except asyncio.CancelledError:
                took = self.elapsed - begun
                on_outcome(RunOutcome(goal, self._snapshot.mission, start_up, took, 0.0, INTERRUPTED))
                raise
            on_outcome(outcome)
            worst = worst or outcome.exit_code
        return worst

    async def came_up(self) -> bool:
        """Wait until goals can be heard, also again after a node died; whether they can."""
        await self._until(lambda: self._is_up() or self._is_hopeless(), self._patience.start_up)
        ready = self._is_up()
        await self._until(self._remembers, self._patience.memories if ready else 0.0)
        return ready

    async def idle(self) -> int:
        """Keep the graph up for others to use, until cancelled."""
        await asyncio.Event().wait()
        return 0

    async def pursue(self, goal: str, start_up: float = 0.0) -> RunOutcome:
        """Have one goal pursued to its end, whatever that is."""
        begun, before = time.monotonic(), self._snapshot
        said = await self._deliver(goal)
        problem = DEAF if said is None else await self._problem(*said)
        took, simulated = time.monotonic() - begun, self._snapshot.sim_time - before.sim_time
        return RunOutcome(goal, self._snapshot.mission, start_up, took, simulated, problem)

    async def _deliver(self, goal: str) -> tuple[str, int] | None:
        """Say a goal until the reasoner acknowledges it, also one that is just being started again.

        Returns:
            The prompt's id and how often the reasoner had died before it was said for the last time.
        """
        deaths, prompt = self._reasoner_deaths(), self._observer.send_goal(goal)
        deadline = time.monotonic() + self._patience.start_up
        while not await self._until(lambda: prompt in self._snapshot.receipts, self._patience.heard):
            if time.monotonic() > deadline:
                return None
            deaths = self._reasoner_deaths()
            self._observer.send_goal(goal, prompt)
        return prompt, deaths

    async def _problem(self, prompt: str, deaths: int) -> str:
        """Wait for the end of the mission that was acknowledged; why there is none, or ""."""
        receipt = self._snapshot.receipts[prompt]
        if receipt.refused:
            return REFUSED.format(receipt.message)
        await self._until(
            lambda: self._ended(receipt.mission) or self._reasoner_deaths() > deaths, self._patience.mission
        )
        if self._ended(receipt.mission):
            return ""
        lost = self._reasoner_deaths() > deaths
        return LOST if lost else f"no end of the mission within {self._patience.mission:.0f} s"

    def _not_up(self, goal: str) -> RunOutcome:
        problem = f"the graph did not come up in {self.elapsed:.0f} s: {self._missing()}"
        return RunOutcome(goal, MissionSnapshot(), self.elapsed, 0.0, 0.0, problem)

    def _missing(self) -> str:
        down = [f"{name} is {state}" for name, state in self._snapshot.nodes.items() if state != "active"]
        words = ", ".join(down) or "no word from bring-up"
        return "\n".join([words, *self._alarms(), f"see {self._folder / 'logs'}"])

    @property
    def _snapshot(self) -> GraphSnapshot:
        return self._observer.snapshot

    def _is_up(self) -> bool:
        """Every node reached its end state; the reasoner, without which no goal can be heard, is active."""
        states = self._snapshot.nodes
        done = ("active", "inactive", "given up")
        settled = bool(states) and all(state.startswith(done) for state in states.values())
        return settled and self._snapshot.palette_known and self._observer.reasoner_listens()

    def _is_hopeless(self) -> bool:
        """Without these nothing can be pursued, and bring-up has stopped trying."""
        states = self._snapshot.nodes
        needed = (f"{self._observer.namespace}/{name}" for name in ("sim", "reasoner"))
        return any(states.get(name, "").startswith("given up") for name in needed)

    def _remembers(self) -> bool:
        return bool(self._snapshot.remembered)

    def _ended(self, mission_id: str) -> bool:
        mission = self._snapshot.mission
        return mission.id == mission_id and mission.state.ended

    def _reasoner_deaths(self) -> int:
        return self._deaths().get("reasoner", 0)

    async def _until(self, condition: Callable[[], bool], timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL)
        return True
