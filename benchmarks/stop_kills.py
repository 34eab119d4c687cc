"""Emergency stops on the launched graph while the reasoner, the operator or the skill server is killed.

A mission runs; at a drawn moment `openral stop` is started, and one process is killed: the skill server with
it, the others once it is confirmed. Odometry and joint states tell, in simulated time, when the robot stands
after the confirmation and whether it moves before the release, while goals keep coming. A killed simulation
begins anew, so its standstill is not timed. ROUNDS=n in the environment, else 3; SEED=n draws the moments.
LOCK=file is held while a graph runs.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
from graph.faults.deployment import FaultTestDeployment, Setup
from graph.faults.matrix import Row
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from benchmarks.reasoner_kills import locked
from openral_bringup.deploy.mission_runner import RunTimeouts
from openral_bringup.deploy.process_supervisor import Respawn
from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.skills import key_values
from openral_ros.conversions.stamps import seconds
from openral_ros.node_thread import Deliver, NodeThread
from openral_ros.qos import RELIABLE
from openral_ros.stop_client import StopClient

LONG = True
GOAL = "bring me a cup of wine"
VICTIMS = ("reasoner", "operator", "sim")
STANDSTILL, MOVED = 0.02, 0.01
"""Speed below which a joint stands, and displacement that is a motion, in [m/s], [rad/s], [m] or [rad]."""
WATCHED = 6.0
"""Time for which the stopped robot is watched [s]."""
PATIENCE = 90.0
"""A bound, not a measure: longest wait for a state of the graph [s]."""
SETUP = Setup(
    parameters={"reasoner": {"seconds": 600.0}},
    respawn=Respawn(limit=100, back_off=1.0, longest=1.0),
    real_time_factor=1.0,
)


class Watch:
    """Motion of the robot, state of its stop, and a client of the skill server."""

    def __init__(self) -> None:
        self._thread = NodeThread("watch")
        self.samples: list[tuple[float, np.ndarray, np.ndarray]] = []
        scope = self._thread.scope
        self.stop = StopClient(scope, self._thread.node)
        scope.subscription(JointState, "joint_states", self._on_joints, RELIABLE)
        scope.subscription(Odometry, "odom", self._on_odometry, RELIABLE)
        self._skills = ActionClient(self._thread.node, ExecuteRskill, "openral/execute_rskill")
        self._base = (np.zeros(3), np.zeros(3))
        self._thread.start()

    def _on_odometry(self, message: Odometry) -> None:
        twist, pose = message.twist.twist, message.pose.pose
        position = np.array([pose.position.x, pose.position.y, 2.0 * np.arcsin(pose.orientation.z)])
        self._base = (position, np.array([twist.linear.x, twist.linear.y, twist.angular.z]))

    def _on_joints(self, message: JointState) -> None:
        arm = [index for index, name in enumerate(message.name) if "finger" not in name]
        place = np.array([*self._base[0], *(message.position[index] for index in arm)])
        speed = np.array([*self._base[1], *(message.velocity[index] for index in arm)])
        self.samples.append((seconds(message.header.stamp), place, np.abs(speed)))

    async def goal(self) -> SkillStatus:
        """Send a goal to the skill server and return its status."""
        params = key_values({"goal": Pose.planar(1.6, 2.0, 0.0)})
        message = ExecuteRskill.Goal(rskill_id="navigate", params=params, deadline=30.0)

        def begin(deliver: Deliver[SkillStatus]) -> None:
            sent = self._skills.send_goal_async(message)
            sent.add_done_callback(
                lambda done: (
                    done.result()
                    .get_result_async()
                    .add_done_callback(lambda ended: deliver(SkillStatus(ended.result().result.status)))
                )
            )

        return await self._thread.call(begin, 45.0)

    async def release(self) -> bool:
        """Release the robot."""
        answer: Trigger.Response = await self._thread.call(
            lambda deliver: self.stop.release(10.0, deliver), 12.0
        )
        return bool(answer.success)

    def close(self) -> None:
        """Release the node."""
        self._thread.post(self._skills.destroy)
        self._thread.close()


def run() -> list[Row]:
    """One row per stop, and one that sums up."""
    rounds, dice = int(os.environ.get("ROUNDS", "3")), random.Random(int(os.environ.get("SEED", "0")))
    rows: list[Row] = []
    for number in range(rounds):
        with locked():
            rows += asyncio.run(_round(number, dice))
    good = [row for row in rows if row["standstill_s"] != "" and float(str(row["standstill_s"])) <= 0.2]
    total: Row = {
        "killed": "all",
        "stopped": sum(bool(row["stopped"]) for row in rows),
        "standstill_s": f"{len(good)} of {sum(row['standstill_s'] != '' for row in rows)} within 0.2",
        "moved": sum(float(str(row["moved"])) > MOVED for row in rows),
        "refused": sum(bool(row["refused"]) for row in rows),
        "drives_after_release": sum(bool(row["drives_after_release"]) for row in rows),
    }
    return [*rows, total]


async def _round(number: int, dice: random.Random) -> list[Row]:
    """One graph, and one stop per victim."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rig = FaultTestDeployment(Path(folder), SETUP, RunTimeouts(start_up=180.0, mission=600.0))
        async with rig:
            if not await rig.runner.wait_until_ready():
                raise RuntimeError("the graph did not come up")
            watch = Watch()
            try:
                for victim in VICTIMS:
                    rows.append({"round": number, **await _stop(rig, watch, victim, dice)})
                    print(rows[-1], flush=True)
            finally:
                watch.close()
    return rows


async def _stop(rig: FaultTestDeployment, watch: Watch, victim: str, dice: random.Random) -> Row:
    """Stop a moving robot, kill the victim, watch, and release."""
    mission = asyncio.create_task(rig.runner.run_goal(GOAL))
    await rig.until(lambda: _is_acting(rig), PATIENCE)
    await asyncio.sleep(dice.uniform(0.5, 6.0))
    moment, speed = rig.mission.step, float(watch.samples[-1][2].max())
    operator = subprocess.Popen(
        [sys.executable, "-m", "openral_reasoner_ros.cli", "stop", f"kill of {victim}"]
    )
    if victim == "sim":
        rig.signal("sim", signal.SIGKILL)
    await rig.until(lambda: bool(watch.stop.reason), PATIENCE)
    begun = watch.samples[-1][0]
    if victim == "reasoner":
        rig.signal("reasoner", signal.SIGKILL)
    operator.kill() if victim == "operator" else operator.wait(30.0)
    operator.wait()
    until = time.monotonic() + WATCHED
    statuses = []
    while time.monotonic() < until:
        with suppress(Exception):
            statuses.append(await watch.goal())
        await asyncio.sleep(0.5)
    after = (
        [sample for sample in watch.samples if sample[0] >= begun]
        if victim != "sim"
        else watch.samples[-100:]
    )
    moving = [stamp for stamp, _, speeds in after if speeds.max() >= STANDSTILL]
    stood = [place for stamp, place, _ in after if not moving or stamp > moving[-1]]
    row: Row = {
        "killed": victim,
        "step": moment,
        "speed": round(speed, 3),
        "stopped": watch.stop.reason,
        "standstill_s": "" if victim == "sim" else round((moving[-1] - begun if moving else 0.0), 3),
        "moved": round(max((float(np.abs(place - stood[0]).max()) for place in stood), default=0.0), 5),
        "refused": bool(statuses) and set(statuses) == {SkillStatus.INACTIVE},
        "goals": len(statuses),
    }
    await rig.until(lambda: watch.stop.can_release, PATIENCE)
    row["released"] = await watch.release()
    mission.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await mission
    row["drives_after_release"] = await watch.goal() is SkillStatus.SUCCEEDED
    return row


def _is_acting(rig: FaultTestDeployment) -> bool:
    return any(call.tool == "execute_rskill" and call.status == "pending" for call in rig.mission.calls)
