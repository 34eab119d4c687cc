"""A reasoner that does nothing but begin, report and end missions; a process of its own, to be killed.

Arguments: namespace, seconds of a mission, file to which each acting step appends the id of its prompt, and
``journal`` or ``forgets``: with a journal it knows after a restart which prompts it has taken, and resumes.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from std_msgs.msg import Header

from openral_msgs.msg import (
    Budget,
    MissionStatus,
    PromptReceipt,
    PromptStamped,
    SceneGraph,
    SceneNode,
    SkillCatalogue,
    ToolCallRecord,
)
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run

BUDGET = 20.0
"""Time budget of a mission [s], that of a test's dispatcher."""
VERBS = ["NAVIGATE", "LOOK_AT", "GRASP", "PLACE", "HANDOVER", "EXPLORE"]


class FakeReasoner(LifecycleNodeBase):
    """Takes one prompt at a time; the acting step is half-way through its mission."""

    def __init__(self, seconds: float, effects: Path, journal: bool, **options: Any) -> None:
        super().__init__("reasoner", **options)
        self._seconds, self._effects = seconds, effects
        self._disk = effects.with_name(f"{self.get_namespace().strip('/')}.json") if journal else None
        kept = json.loads(self._disk.read_text()) if self._disk and self._disk.exists() else {}
        self.taken: dict[str, str] = kept.get("taken", {})
        self.mission: dict[str, Any] = kept.get("mission", {})
        self._last = MissionStatus(state=MissionStatus.STATE_IDLE)
        self.trigger_configure()
        self.trigger_activate()

    def activate(self, scope: ResourceScope) -> None:
        self._receipts = scope.publisher(PromptReceipt, "openral/prompt_receipt", RECEIPTS)
        self._statuses = scope.publisher(MissionStatus, "openral/mission", LATCHED_HISTORY)
        self._skills = scope.publisher(SkillCatalogue, "openral/skills", LATCHED)
        self._scene = scope.publisher(SceneGraph, "openral/scene_graph", LATCHED)
        scope.subscription(PromptStamped, "openral/prompt", self._on_prompt, RELIABLE)
        scope.timer(0.1, self._step)
        self._show_mug()
        self._report()

    def _on_prompt(self, message: PromptStamped) -> None:
        if message.text == "stop":
            self._receipt(message.id, PromptReceipt.OUTCOME_STOPPED)
            if self.mission:
                self._end(MissionStatus.STATE_CANCELLED, "stopped by the operator: 'stop'")
        elif message.id in self.taken:
            self._receipt(message.id, PromptReceipt.OUTCOME_STARTED)
        elif self.mission:
            self._receipt(message.id, PromptReceipt.OUTCOME_REFUSED)
        else:
            self.taken[message.id] = f"{message.id}-1"
            self.mission = {"id": message.id, "goal": message.text, "began": time.time(), "acted": False}
            self._save()
            self._receipt(message.id, PromptReceipt.OUTCOME_STARTED)
            self._report()

    def _step(self) -> None:
        if not self.mission:
            return
        age = time.time() - self.mission["began"]
        if age > BUDGET:
            self._end(MissionStatus.STATE_FAILED, "the budget of seconds is used up")
            return
        if age >= self._seconds / 2.0 and not self.mission["acted"]:
            self.mission["acted"] = True
            self._act()
        if age >= self._seconds:
            self._end(MissionStatus.STATE_SUCCEEDED, "done")
        elif self.mission:
            self._report()

    def _act(self) -> None:
        with self._effects.open("a") as file:
            file.write(f"{self.mission['id']} {self.mission['goal']}\n")
        self._save()
        if self.mission["goal"].startswith("find"):
            self._show_mug(time.time())

    def _show_mug(self, seen: float = 1.0) -> None:
        node = SceneNode(id="mug_1", kind=SceneNode.KIND_OBJECT, label="mug", confidence=1.0)
        node.pose.orientation.w = 1.0
        node.last_seen.sec = int(seen)
        self._scene.publish(SceneGraph(nodes=[node]))

    def _end(self, state: int, reason: str) -> None:
        self._last = self._status(state, reason)
        self.mission = {}
        self._save()
        self._report()

    def _status(self, state: int, reason: str = "") -> MissionStatus:
        mission = self.mission
        age = time.time() - mission["began"]
        calls = []
        if mission["acted"] and not mission["goal"].startswith("find"):
            calls = [
                ToolCallRecord(
                    tool="execute_rskill", arguments_json='{"rskill_id": "grasp"}', status="SUCCEEDED"
                )
            ]
        return MissionStatus(
            mission_id=self.taken[mission["id"]],
            prompt_id=mission["id"],
            goal=mission["goal"],
            state=state,
            step="working",
            reason=reason,
            budget=[Budget(name="seconds", used=min(age, BUDGET), limit=BUDGET)],
            calls=calls,
        )

    def _report(self) -> None:
        busy_with = "GRASP" if self.mission else ""
        self._skills.publish(SkillCatalogue(verbs=VERBS, busy_with=busy_with))
        self._statuses.publish(self._status(MissionStatus.STATE_ACTIVE) if self.mission else self._last)

    def _receipt(self, prompt_id: str, outcome: int) -> None:
        receipt = PromptReceipt(header=Header(), prompt_id=prompt_id, outcome=outcome)
        receipt.mission_id = self.taken.get(prompt_id, "")
        self._receipts.publish(receipt)

    def _save(self) -> None:
        if self._disk is not None:
            fresh = self._disk.with_suffix(".new")
            fresh.write_text(json.dumps({"taken": self.taken, "mission": self.mission}))
            fresh.replace(self._disk)


def main() -> int:
    namespace, seconds, effects, memory = sys.argv[1:5]
    make = lambda: FakeReasoner(float(seconds), Path(effects), memory == "journal")  # noqa: E731
    return run(make, ["--ros-args", "-r", f"__ns:={namespace}"])


if __name__ == "__main__":
    sys.exit(main())
