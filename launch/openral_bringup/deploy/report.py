"""Outcome of a goal, as text and as JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from openral_bringup.deploy.monitor_node import MissionSnapshot
from openral_core.missions import MissionState
from openral_reasoner.budget import cost_words

NOT_UP = 4
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
    verdict = outcome.problem or f"{_verdict(mission.state)}: {mission.reason or mission.step}"
    lines = [f"goal       {outcome.goal}", f"outcome    {verdict}", "steps"]
    lines += [
        f"  {call.index:>2}  {call.tool:<16} {call.status:<20} {call.duration:5.1f} s  {_line(call.message)}"
        for call in mission.calls
    ] or ["  none"]
    if mission.searched:
        lines += ["searched", *(f"  - {place}" for place in mission.searched)]
    if mission.evidence:
        lines += ["evidence", *(f"  - {_line(fact)}" for fact in mission.evidence)]
    lines.append(f"cost       {cost_words({name: used for name, (used, _) in mission.budget.items()})}")
    times = f"{outcome.duration:.1f} s ({outcome.sim_duration:.1f} s simulated)"
    lines += [f"time       {times}, graph up in {outcome.start_up:.1f} s", f"recording  {folder}"]
    return "\n".join(lines)


def save(outcome: RunOutcome, folder: Path) -> None:
    """Append one outcome to ``folder``/outcomes.jsonl."""
    content = {**asdict(outcome), "exit_code": outcome.exit_code, "state": outcome.mission.state.name}
    with (folder / "outcomes.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(content) + "\n")


def _verdict(state: MissionState) -> str:
    return _VERDICTS.get(state, state.name.lower())


def _line(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 100 else first[:99] + "…"
