"""Emergency stops on the launched graph while the reasoner, the operator or the skill server is killed.

A mission runs; at a drawn moment `openral stop` is started, and one process is killed: the skill server with
it, the others once it is confirmed. Odometry and joint states tell, in simulated time, when the robot stands
after the confirmation and whether it moves before the release, while goals keep coming. A killed simulation
begins anew, so its standstill is not timed. ROUNDS=n in the environment, else 3; SEED=n draws the moments.
LOCK=file is held while a graph runs.

With STOPS=n there are instead as many stops of a driving robot by the service, STOPS_PER_GRAPH=n (else 40) on
each graph, whose run folder is a small disk, in turn: with nothing else; with the disk full, every fourth
time with the skill server killed after the stop and restarted on the full disk; with the skill server killed
between the latch and the reply; with the reasoner suspended during a mission.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
from graph.faults import disks
from graph.faults.deployment import FaultTestDeployment, Setup
from graph.faults.matrix import Row
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from benchmarks.reasoner_kills import locked
from openral_bringup.deploy.mission_runner import RunTimeouts
from openral_bringup.deploy.process_supervisor import Respawn
from openral_core.emergency_stop import SHARED_MEMORY
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.skills import key_values
from openral_ros.conversions.stamps import seconds
from openral_ros.emergency_stop import STOP_SERVICE
from openral_ros.node_thread import Deliver, NodeThread
from openral_ros.qos import RELIABLE
from openral_ros.service_client import AsyncServiceClient, CallError
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
GOALS = (Pose.planar(1.6, 2.0, 0.0), Pose.planar(8.6, 0.8, 0.0))
MISSIONS = ("go to the sofa", "go to the fridge")
KINDS = ("nothing", "disk full", "sim killed", "reasoner suspended")
LOOKED_AT = 2.0
"""Time for which a robot that was not restarted is watched [s]."""
SAMPLES = 15
"""Fewest samples of its joints meanwhile; on a loaded machine it is watched for longer."""
KILLER = """
import os, sys
page, pid = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2])
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except OSError:  # not allowed here
    pass
print(flush=True)
while b'"reason":""' in os.pread(page, 400, 0):
    pass
os.kill(pid, 9)
"""
"""Kills a skill server as soon as its record of the moment is a stop: before it replies."""


class Watch:
    """Motion of the robot, state of its stop, and a client of the skill server."""

    def __init__(self) -> None:
        self._thread = NodeThread("watch")
        self.samples: list[tuple[float, np.ndarray, np.ndarray]] = []
        scope = self._thread.scope
        self.stop = StopClient(scope, self._thread.node)
        self._press: AsyncServiceClient[Trigger.Response] = AsyncServiceClient(
            scope, self._thread.node, Trigger, STOP_SERVICE
        )
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
        stamp = seconds(message.header.stamp)
        if self.samples and stamp < self.samples[-1][0]:
            self.samples.clear()  # a simulation that began anew
        self.samples.append((stamp, place, np.abs(speed)))

    @property
    def moves(self) -> bool:
        """True if a joint or the base moves now."""
        return bool(self.samples) and float(self.samples[-1][2].max()) >= STANDSTILL

    async def press(self) -> bool:
        """Stop the robot by the service; return True if that was confirmed."""
        try:
            answer: Trigger.Response = await self._thread.call(
                lambda deliver: self._press.call(Trigger.Request(), 3.0, deliver), 5.0
            )
        except CallError:
            return False
        return bool(answer.success)

    async def goal(self, pose: Pose = GOALS[0]) -> SkillStatus:
        """Send a goal to the skill server and return its status."""
        message = ExecuteRskill.Goal(rskill_id="navigate", params=key_values({"goal": pose}), deadline=30.0)

        def begin(deliver: Deliver[SkillStatus]) -> None:
            sent = self._skills.send_goal_async(message)
            sent.add_done_callback(
                lambda future: (
                    future.result()
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
    if target := int(os.environ.get("STOPS", "0")):
        return _many(target, dice)
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


def _many(target: int, dice: random.Random) -> list[Row]:
    """One row per stop, and one per kind that sums up."""
    rows: list[Row] = []
    each = int(os.environ.get("STOPS_PER_GRAPH", "40"))
    while len(rows) < target:
        end = min(len(rows) + each, target)
        with locked():
            try:
                asyncio.run(_on_small_disk(range(len(rows), end), rows, dice))
            except (RuntimeError, OpenRALError) as error:  # the next graph begins with the same stop
                print(f"not measured: {type(error).__name__}: {error}", flush=True)
    return [*rows, *(_sum(kind, rows) for kind in KINDS), _sum("all", rows)]


def _sum(kind: str, rows: list[Row]) -> Row:
    chosen = [row for row in rows if kind in (row["with"], "all")]
    restarted = [row for row in chosen if row["restarted"]]
    return {
        "with": f"{kind}, all of them",
        "stops": len(chosen),
        "moving": sum(bool(row["moving"]) for row in chosen),
        "not confirmed": sum(not row["confirmed"] for row in chosen),
        "stopped": sum(bool(row["stopped"]) for row in chosen),
        "moved": sum(float(str(row["moved"])) > MOVED for row in chosen),
        "longest standstill_s": max((float(str(row["standstill_s"])) for row in chosen), default=0.0),
        "goals": sum(int(str(row["goals"])) for row in chosen),
        "carried out": sum(int(str(row["carried out"])) for row in chosen),
        "restarted": len(restarted),
        "released by restart": sum(not row["stopped"] for row in restarted),
    }


async def _on_small_disk(numbers: range, rows: list[Row], dice: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        few_images = {**SETUP.parameters, "sim": {"camera_rate": 1.0}}
        setup = replace(SETUP, disk="tmpfs", parameters=few_images)
        rig = FaultTestDeployment(Path(folder), setup, RunTimeouts(start_up=180.0, mission=600.0))
        async with rig:
            if not await rig.runner.wait_until_ready():
                raise RuntimeError("the graph did not come up")
            watch = Watch()
            try:
                for number in numbers:
                    rows.append(await _one(rig, watch, number, dice))
                    print(rows[-1], flush=True)
            finally:
                watch.close()


async def _one(rig: FaultTestDeployment, watch: Watch, number: int, dice: random.Random) -> Row:
    """Stop a driving robot, do harm, watch, and release it."""
    kind, turn = KINDS[number % len(KINDS)], number // len(KINDS)
    if kind == "reasoner suspended":
        driving = asyncio.create_task(rig.runner.run_goal(MISSIONS[turn % 2]))
    else:
        driving = asyncio.create_task(watch.goal(GOALS[number % 2]))  # type: ignore[arg-type]
    await rig.until(lambda: watch.moves, 30.0)
    await asyncio.sleep(dice.uniform(0.1, 2.0))
    kills = kind == "sim killed" or (kind == "disk full" and turn % 4 == 0)
    if kind == "disk full":
        disks.fill(rig.folder)
    if kind == "reasoner suspended":
        rig.signal("reasoner", signal.SIGSTOP)
    killer = await _armed(rig) if kind == "sim killed" else None
    row: Row = {"stop": number, "with": kind, "moving": watch.moves, "restarted": kills}
    before = rig.node("sim")
    row["confirmed"] = await watch.press()
    if killer is not None:
        await killer.wait()
    elif kills:
        rig.signal("sim", signal.SIGKILL)
    if kills:
        await _came_back(rig, watch, before)
    row |= await _watched(watch)
    row |= await _recovered(rig, watch, kind)
    driving.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await driving
    return row


async def _armed(rig: FaultTestDeployment) -> asyncio.subprocess.Process:
    """Start the process that kills the skill server at its latch."""
    run = json.loads((rig.recording / "emergency_stop.json").read_text())["run"]
    pages = SHARED_MEMORY.glob("openral_stop_*")
    page = next(page for page in pages if f'"run":"{run}"' in page.read_text())
    process = rig.node("sim")
    assert process is not None
    killer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLER, str(page), str(process.pid), stdout=subprocess.PIPE
    )
    assert killer.stdout is not None
    await killer.stdout.readline()
    return killer


async def _came_back(rig: FaultTestDeployment, watch: Watch, before: psutil.Process | None) -> None:
    """Wait until another skill server tells its state, and its robot's joints."""
    watch.samples.clear()
    watch.stop.reason = None
    await rig.until(lambda: rig.node("sim") not in (None, before), PATIENCE)
    await rig.until(lambda: watch.stop.reason is not None and len(watch.samples) > 50, PATIENCE)


async def _watched(watch: Watch) -> Row:
    """Send goals to the stopped robot and watch it."""
    begun, until, statuses = len(watch.samples), time.monotonic() + LOOKED_AT, list[SkillStatus]()
    await asyncio.sleep(0.3)
    longest = time.monotonic() + 5.0 * LOOKED_AT
    while time.monotonic() < (until if len(watch.samples) - begun >= SAMPLES else longest):
        with suppress(Exception):
            statuses.append(await watch.goal())
        await asyncio.sleep(0.3)
    after = watch.samples[begun:]
    first = next((index for index, (*_, speed) in enumerate(after) if speed.max() < STANDSTILL), 0)
    stood, still = after[first][1], [place for _, place, _ in after[first:]]
    moving = [stamp - after[0][0] for stamp, _, speed in after if speed.max() >= STANDSTILL]
    moved = max((float(np.abs(place - stood).max()) for place in still), default=0.0)
    return {
        "stopped": watch.stop.reason,
        "samples": len(after),
        "standstill_s": round(max(moving, default=0.0), 3),
        "moved": round(moved, 5),
        "goals": len(statuses),
        "carried out": sum(status is not SkillStatus.INACTIVE for status in statuses),
    }


async def _recovered(rig: FaultTestDeployment, watch: Watch, kind: str) -> Row:
    """Take the harm away and release the robot."""
    if kind == "reasoner suspended":
        rig.signal("reasoner", signal.SIGCONT)
    if kind == "disk full":
        disks.empty(rig.folder)
    await rig.until(lambda: watch.stop.can_release, PATIENCE)
    released = await watch.release()
    await rig.until(lambda: watch.stop.reason == "", PATIENCE)
    return {"released": released}
