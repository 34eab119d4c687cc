"""How it ended, in words and as JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from openral_bringup.deploy.snapshots import Mission
from openral_core.missions import MissionState
from openral_reasoner.budgets import cost_words

EXIT_CODES = {
    MissionState.SUCCEEDED: 0,
    MissionState.FAILED: 1,
    MissionState.HANDED_OVER: 3,
    MissionState.CANCELLED: 1,
}
NOT_UP = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """One goal's end; times in [s], ``problem`` when there was no mission to end."""

    goal: str
    mission: Mission
    start_up: float
    duration: float
    sim_duration: float
    problem: str = ""

    @property
    def exit_code(self) -> int:
        """0 reached, 1 failed, 3 handed over to a human, 4 the graph or the reasoner did not answer."""
        return NOT_UP if self.problem else EXIT_CODES.get(self.mission.state, NOT_UP)


def report(outcome: Outcome, folder: Path) -> str:
    """The end of one goal, for a terminal."""
    mission = outcome.mission
    verdict = outcome.problem or f"{_verdict(mission.state)}: {mission.reason or mission.step}"
    lines = [f"goal       {outcome.goal}", f"outcome    {verdict}", "steps"]
    lines += [
        f"  {call.index:>2}  {call.tool:<16} {call.status:<20} {call.duration:5.1f} s  {_line(call.message)}"
        for call in mission.calls
    ] or ["  none"]
    if mission.searched:
        lines += ["looked at", *(f"  - {place}" for place in mission.searched)]
    lines.append(f"cost       {cost_words({name: used for name, (used, _) in mission.budget.items()})}")
    times = f"{outcome.duration:.1f} s ({outcome.sim_duration:.1f} s simulated)"
    lines += [f"time       {times}, graph up in {outcome.start_up:.1f} s", f"recording  {folder}"]
    return "\n".join(lines)


def save(outcome: Outcome, folder: Path) -> None:
    """Append one outcome to ``folder``/outcomes.jsonl."""
    content = {**asdict(outcome), "exit_code": outcome.exit_code, "state": outcome.mission.state.name}
    with (folder / "outcomes.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(content) + "\n")


def _verdict(state: MissionState) -> str:
    words = {MissionState.SUCCEEDED: "done", MissionState.HANDED_OVER: "handed over to a human"}
    return words.get(state, state.name.lower())


def _line(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 100 else first[:99] + "…"
