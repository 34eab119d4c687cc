"""Each node of the graph in this process, with the peers it needs and a normal question for it."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node

from fuzzing.observer_rigs import OBSERVERS
from fuzzing.rig import PATIENCE, ROOT, Rig, test_support
from openral_bringup.lifecycle_manager.node import BringupNode
from openral_core.detectors import LocateStatus
from openral_core.geometry import Pose
from openral_msgs.msg import FailureTrigger, MissionStatus
from openral_msgs.srv import RecallObject
from openral_perception_ros.node import DetectorNode
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.qos import LATCHED, RELIABLE
from openral_sim.ros.node import SimNode
from openral_world_state.ros.node import WorldStateNode


class WorldStateRig(Rig):
    """Memory with a robot that shows it a kitchen."""

    name = "world_state"

    def make(self) -> Node:
        self._part = test_support("openral_world_state/test/ros/conftest.py")
        self._robot = self._part.Robot(self.context)
        self.peers = [self._robot]
        self._stamp, self._kitchen = 10.0, self._part.kitchen(10.0)
        return WorldStateNode(
            context=self.context,
            parameter_overrides=self.parameters(
                map=str(self._part.MAP),
                cameras=["head"],
                publish_rate=20.0,
                spatial_memory_path=str(self.folder / "memory.sqlite"),
            ),
        )

    def ask(self) -> None:
        """Show the kitchen until memory knows the bread."""
        recall = self.stranger.create_client(RecallObject, "openral/recall_object")
        self.until(recall.service_is_ready)
        end = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < end, "memory does not learn the bread that it is shown"
            self._stamp += 1.0
            now = max(self._stamp, self.node.get_clock().now().nanoseconds / 1e9)
            shot = replace(self._kitchen, view=replace(self._kitchen.view, stamp=now))
            self._robot.show(shot)
            self._robot.objects.publish(self._robot.seen(shot, self._part.LABELS))
            self.settle(40)
            answer = recall.call_async(RecallObject.Request(query="bread"))
            self.until(answer.done)
            if answer.result().status in (RecallObject.Response.FOUND, RecallObject.Response.AMBIGUOUS):
                break
        self.stranger.destroy_client(recall)


class DetectorRig(Rig):
    """The on-demand locator on ground truth, with its worker process."""

    name = "detector"
    transitions_apart = True
    rskill = "sim-groundtruth-locator"

    def make(self) -> Node:
        self._part = test_support("openral_perception_ros/test/conftest.py")
        node = DetectorNode(
            "detector",
            context=self.context,
            namespace=f"/openral/perception/{self.rskill.replace('-', '_')}",
            parameter_overrides=self.parameters(
                rskill=self.rskill, rskill_folders=[str(ROOT / "rskills")], cameras=["head"], **self.more
            ),
        )
        self._rig = self._part.Rig(node, self.stranger, lambda _, met, timeout: self.until(met, timeout))
        return node

    more: Mapping[str, object] = {}

    def ask(self) -> None:
        """Show the scene and have the mug located."""
        self._rig.show()
        answer = self._rig.locate("mug")
        assert LocateStatus(answer.status) is LocateStatus.FOUND, answer.message


class CompressedDetectorRig(DetectorRig):
    """The same on compressed images."""

    name = "detector (compressed)"
    more: Mapping[str, object] = {"compressed": True}
    answers = ("NO_FRAME", "STALE_FRAME", "FOUND", "NOT_IN_VIEW", "DETECTOR_ERROR")

    def ask(self) -> None:
        """Ask; without a picture it can only say that there is none."""
        answer = self._rig.locate("mug")
        assert LocateStatus(answer.status).name in self.answers, answer.message


class ReasonerRig(Rig):
    """The reasoner with memory, a locator and a skill server that are honest."""

    name = "reasoner"

    def make(self) -> Node:
        part = test_support("openral_reasoner_ros/test/conftest.py")
        self._new_home = part.small_home
        self._graph = part.FakeGraph(self.context, self._new_home(), part.LOCATOR_INFO)
        self._operator = part.Operator(self.context)
        self.peers = [self._graph, self._operator]
        self.stranger.create_publisher(FailureTrigger, "/openral/failure/stranger", RELIABLE)
        self._stop_states = self.stranger.create_publisher(DiagnosticStatus, "openral/stop_state", LATCHED)
        folders = [str(ROOT / "rskills"), *part.missing_skills(self.folder / "rskills")]
        return ReasonerNode(
            context=self.context,
            parameter_overrides=self.parameters(
                rskill_folders=folders,
                requester="ana",
                poll_period=0.05,
                record=str(self.folder),
                seconds=120.0,
            ),
        )

    def ask(self) -> None:
        """Have the mug found, once a forged emergency stop has been overruled."""
        self._stop_states.publish(DiagnosticStatus(level=DiagnosticStatus.OK))
        self._operator.say("stop")
        self._graph.announce_locator()
        self.until(lambda: "locate_in_view" in "".join(self._operator.palettes[-1:]))
        self._operator.statuses.clear()
        self._operator.say("find the mug")
        self.until(lambda: self._operator.ended and "the mug" in self._operator.statuses[-1].goal)
        state = self._operator.statuses[-1].state
        assert state == MissionStatus.STATE_SUCCEEDED, self._operator.statuses[-1].reason

    def provoke(self, asked: Callable[[], object], timeout: float) -> None:
        """Have the bread fetched, which takes every peer as long as it is where memory does not have it.

        Memory is only edited by what is told of an object, after that.
        """
        self.activate()
        self._graph.peers.home = self._new_home()
        self._stop_states.publish(DiagnosticStatus(level=DiagnosticStatus.OK))
        self._graph.announce_locator()
        self._operator.say("stop")
        self.until(lambda: "locate_in_view" in "".join(self._operator.palettes[-1:]))
        for goal in ("bring me the baguette", "the mug is dirty"):
            self._operator.say(goal)
            super().provoke(asked, timeout)
            self._operator.say("stop")
            self.settle(30)
            if asked():
                break


class SimRig(Rig):
    """Simulation and skill server with small pictures."""

    name = "sim"

    def make(self) -> Node:
        home = ROOT / "scenes" / "deploy" / "home.yaml"
        document = yaml.safe_load(home.read_text())
        document["map"] = str((home.parent / document["map"]).resolve())
        small = {"width": 160, "height": 120, "rate": 2.0}
        document["cameras"] = {name: {**style, **small} for name, style in document["cameras"].items()}
        path = self.folder / "home.yaml"
        path.write_text(yaml.safe_dump(document))
        self._bench: Any = None
        return SimNode(
            context=self.context,
            parameter_overrides=self.parameters(
                scene=str(path), rskill_folders=[str(ROOT / "rskills")], shadows=False, real_time_factor=5.0
            ),
        )

    def ask(self) -> None:
        """Have the robot drive."""
        from rclpy.action import ActionClient

        from openral_msgs.action import ExecuteRskill
        from openral_ros.conversions.skills import key_values

        client = ActionClient(self.stranger, ExecuteRskill, "openral/execute_rskill")
        self.until(client.server_is_ready)
        self.release()
        params = key_values({"goal": Pose.planar(1.6, 1.2, 0.0)})
        sent = client.send_goal_async(ExecuteRskill.Goal(rskill_id="navigate", params=params, deadline=60.0))
        self.until(sent.done)
        result = sent.result().get_result_async()
        self.until(result.done, 60.0)
        assert result.result().result.success, result.result().result.message
        client.destroy()


class BringupRig(Rig):
    """The lifecycle manager of one node, played by two services."""

    name = "bringup"

    def make(self) -> Node:
        self._state = State.PRIMARY_STATE_UNCONFIGURED
        self.stranger.create_service(GetState, "/sim/get_state", self._tell_state)
        self.stranger.create_service(ChangeState, "/sim/change_state", self._change_state)
        return BringupNode(
            context=self.context, parameter_overrides=self.parameters(nodes=["0:/sim"], poll=0.1)
        )

    def _tell_state(self, _: object, response: GetState.Response) -> GetState.Response:
        response.current_state.id = self._state
        return response

    def _change_state(
        self, request: ChangeState.Request, response: ChangeState.Response
    ) -> ChangeState.Response:
        goals = {
            1: State.PRIMARY_STATE_INACTIVE,
            3: State.PRIMARY_STATE_ACTIVE,
            4: State.PRIMARY_STATE_INACTIVE,
        }
        self._state = goals.get(request.transition.id, self._state)
        response.success = True
        return response

    def provoke(self, asked: Callable[[], object], timeout: float) -> None:
        """Have the node brought up from its first state."""
        self.node.trigger_deactivate()
        self._state = State.PRIMARY_STATE_UNCONFIGURED
        self.node.trigger_activate()
        super().provoke(asked, timeout)

    def ask(self) -> None:
        """Have its state told."""
        from diagnostic_msgs.msg import DiagnosticArray

        told: list[Any] = []
        listener = self.stranger.create_subscription(DiagnosticArray, "/diagnostics", told.append, RELIABLE)
        self.until(lambda: any(status.name == "bringup: /sim" for each in told for status in each.status))
        self.stranger.destroy_subscription(listener)


RIGS: Mapping[str, type[Rig]] = {
    rig.name: rig
    for rig in (
        WorldStateRig,
        DetectorRig,
        CompressedDetectorRig,
        ReasonerRig,
        SimRig,
        BringupRig,
        *OBSERVERS,
    )
}


@contextmanager
def rig_of(name: str, folder: Path, domain: int) -> Iterator[Rig]:
    """Yield a working rig in a domain of its own."""
    with ExitStack() as stack:
        context = rclpy.context.Context()
        rclpy.init(context=context, domain_id=domain)
        stack.callback(rclpy.try_shutdown, context=context)
        rig = RIGS[name](context, folder, domain)
        stack.callback(rig.close)
        rig.activate()
        yield rig
