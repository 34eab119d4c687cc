"""Cries and remarks in mid-drive on the launched graph, in physics: what stops the robot, and how soon.

The sentences are those of cries.yaml: 30 cries that no list of the product holds, 30 listed ones, 20 of these
again with the reasoner suspended, and 60 ordinary remarks, several in one drive. A robot has stopped if its
goal has ended within `PATIENCE` and its mission is CANCELLED. SEED=n draws the moments; LOCK=file is held
while a graph runs; KINDS=a,b measures these alone.
"""

import asyncio
import os
import random
import signal
import tempfile
import time
from pathlib import Path

from graph.faults.deployment import FaultTestDeployment, Setup
from graph.faults.matrix import Row

from benchmarks.reasoner_kills import locked
from openral_bringup.deploy.mission_runner import RunTimeouts
from openral_core.missions import MissionState, PromptOutcome
from openral_core.parsing import parse_yaml
from openral_core.text.stop_words import contains_stop_word
from openral_msgs.msg import PromptReceipt, PromptStamped, SkillCatalogue
from openral_ros.node_thread import NodeThread
from openral_ros.prompt_client import NotAcknowledged, PromptClient
from openral_ros.qos import LATCHED

LONG = True
EACH, SUSPENDED = 30, 20
"""Cries of each kind, and of those with the reasoner suspended [count]."""
GOALS = ("go to the sofa", "go to the fridge")
PATIENCE, REMARK, LEG = 5.0, 1.0, 30.0
"""Longest wait for a stop, time in which a remark could stop, and longest wait for a drive to begin [s]."""
SETUP = Setup(parameters={"reasoner": {"seconds": 600.0}}, real_time_factor=1.0)


class Operator:
    """A person beside the robot."""

    def __init__(self, rig: FaultTestDeployment) -> None:
        self.rig, self._thread, self.busy_with = rig, NodeThread("bystander"), ""
        self._prompts = PromptClient(self._thread.scope, self._thread.node, "bystander")
        self._thread.scope.subscription(SkillCatalogue, "openral/skills", self._on_skills, LATCHED)
        self._thread.start()

    def _on_skills(self, message: SkillCatalogue) -> None:
        self.busy_with = message.busy_with

    def say(self, text: str, seconds: float = 20.0) -> list[PromptReceipt | NotAcknowledged]:
        """Say something; the receipt is added to the list that is returned."""
        receipts: list[PromptReceipt | NotAcknowledged] = []
        prompt = PromptStamped(text=text, id=f"{time.monotonic_ns()}")
        prompt.header.frame_id = "operator"
        self._thread.post(lambda: self._prompts.deliver(prompt, receipts.append, seconds))
        return receipts

    async def drive(self, goal: str, dice: random.Random) -> None:
        """Send the robot somewhere, elsewhere if it is there already, and wait until it is on its way."""
        for each in (goal, *(other for other in GOALS if other != goal)):
            self.say(each)
            if await self.rig.until(lambda: self.busy_with == "NAVIGATE", LEG / len(GOALS)):
                break
        else:
            raise RuntimeError(f"no drive began; {self.rig.mission}")
        await asyncio.sleep(dice.uniform(0.3, 1.0))

    async def halt(self) -> None:
        """End what runs, if anything does."""
        state = self.rig.mission.state
        if (state.ended or state is MissionState.IDLE) and not self.busy_with:
            return
        self.say("stop")
        await self.rig.until(lambda: self.rig.mission.state.ended and not self.busy_with, LEG)

    def close(self) -> None:
        """Release the node."""
        self._thread.close()


def run() -> list[Row]:
    """One row per sentence, and one per kind that sums up."""
    dice = random.Random(int(os.environ.get("SEED", "0")))
    file = Path(__file__).with_name("cries.yaml")
    cries = parse_yaml(file.read_text(encoding="utf-8"))
    assert isinstance(cries, dict)
    kinds = {
        "unlisted": [text for text in cries["unlisted"] if not contains_stop_word(text)][:EACH],
        "listed": cries["listed"][:EACH],
        "suspended": cries["listed"][:SUSPENDED],
        "remarks": cries["remarks"],
    }
    chosen = os.environ.get("KINDS", ",".join(kinds)).split(",")
    with locked():
        rows = asyncio.run(_measure([(kind, text) for kind in chosen for text in kinds[kind]], dice))
    return [*rows, *(_total(kind, [row for row in rows if row["kind"] == kind]) for kind in chosen)]


async def _measure(sentences: list[tuple[str, str]], dice: random.Random) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        async with FaultTestDeployment(Path(folder), SETUP, RunTimeouts(start_up=240.0)) as rig:
            if not await rig.runner.wait_until_ready():
                raise RuntimeError("the graph did not come up")
            operator = Operator(rig)
            try:
                for number, (kind, text) in enumerate(sentences):
                    if kind != "remarks" or operator.busy_with != "NAVIGATE":
                        await operator.halt()
                        await operator.drive(GOALS[number % len(GOALS)], dice)
                    rows.append(await _hear(operator, kind, text))
                    print(rows[-1], flush=True)
            finally:
                operator.close()
    return rows


async def _hear(operator: Operator, kind: str, text: str) -> Row:
    """Say one sentence in mid-drive."""
    rig = operator.rig
    if kind == "suspended":
        rig.signal("reasoner", signal.SIGSTOP)
    begun = time.monotonic()
    receipts = operator.say(text)
    wait = REMARK if kind == "remarks" else PATIENCE
    ended = await rig.until(lambda: not operator.busy_with, wait)
    seconds = time.monotonic() - begun
    rig.signal("reasoner", signal.SIGCONT)
    await rig.until(lambda: bool(receipts), PATIENCE)
    receipt = receipts[0] if receipts else None
    outcome = PromptOutcome(receipt.outcome).name if isinstance(receipt, PromptReceipt) else "NONE"
    cancelled = await rig.until(
        lambda: rig.mission.state is MissionState.CANCELLED, 0.5 if not ended else LEG
    )
    stopped = outcome == PromptOutcome.STOPPED.name and (kind == "remarks" or (ended and cancelled))
    return {"kind": kind, "text": text, "stopped": stopped, "seconds": round(seconds, 2), "receipt": outcome}


def _total(kind: str, rows: list[Row]) -> Row:
    times = sorted(float(str(row["seconds"])) for row in rows if row["stopped"])
    middle = times[len(times) // 2] if times else ""
    return {"kind": kind, "text": "all", "stopped": f"{len(times)} of {len(rows)}", "seconds": middle}
