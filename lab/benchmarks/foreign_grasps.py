"""GRASP alone through the interfaces of Nav2, MoveIt and ros2_control, over objects and seeds.

Without perception and reasoner: per try, a simulated robot in a home of its own and `openral_skills_ros` run
in one process, as fast as the machine allows. The goal has the position of the object with an error as that
of memory. A grasp counts if the goal succeeded and, in the simulation's truth, the fingers hold the object.
SEEDS=n, else 5; FIRST is the first seed, else 0; OBJECTS=can,lemon,... selects; ROBOT is another robot.yaml.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import rclpy
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.skills import key_values, skill_result_from_message
from openral_sim.controllers.controlled_robot import ControlledRobot
from openral_sim.ros.foreign.node import ForeignRobotNode
from openral_skills_ros.node import SkillServerNode

LONG = True
ROOT = Path(__file__).parents[2]
SCENE = ROOT / "scenes" / "deploy" / "home.yaml"
ROBOT = ROOT / "robots" / "foreign_sim.yaml"
OBJECTS = "baguette,red_mug,can,lemon"
POSITION_ERROR = 0.012
"""Standard deviation of the remembered position, in x and in y [m]."""
DEADLINE = 240.0
"""Deadline of a goal [s] of wall-clock time, on a busy machine."""
DISCOVERY = 60.0
"""Longest wait for a server, or for the acceptance of a goal [s]."""
Size = tuple[float, float, float]


class Bench:
    """A simulated robot, its skill server and a client of it, on one executor."""

    def __init__(self, context: Context, seed: int) -> None:
        simulated = {"scene": str(SCENE), "seed": seed, "real_time_factor": 0.0}
        served = {"robot": os.environ.get("ROBOT", str(ROBOT)), "rskill_folders": [str(ROOT / "rskills")]}
        self._robot = ForeignRobotNode(context=context, parameter_overrides=overrides(simulated))
        self._skills = SkillServerNode(context=context, parameter_overrides=overrides(served))
        self._client = rclpy.create_node("client", context=context)
        self._goals: Any = ActionClient(self._client, ExecuteRskill, "openral/execute_rskill")
        self._executor = SingleThreadedExecutor(context=context)
        for node in (self._robot, self._skills, self._client):
            self._executor.add_node(node)
        for node in (self._robot, self._skills):
            node.trigger_configure()
            node.trigger_activate()

    @property
    def truth(self) -> ControlledRobot:
        """State of the simulation."""
        configured = self._robot._robot
        assert configured is not None, "the robot is configured"
        return configured._robot

    @property
    def held(self) -> str:
        """Body in the hand, "" for none."""
        held = self.truth._context.held
        return str(self.truth.world.model.body(held.body).name) if held else ""

    def do(self, rskill: str, **params: ParamValue) -> SkillResult:
        """Carry out a goal.

        Raises:
            TimeoutError: If it does not end.
        """
        self._wait(self._goals.server_is_ready, DISCOVERY)
        goal = ExecuteRskill.Goal(rskill_id=rskill, deadline=DEADLINE, params=key_values(params))
        sent = self._goals.send_goal_async(goal)
        self._wait(sent.done, DISCOVERY)
        answer = sent.result().get_result_async()
        self._wait(answer.done, DEADLINE + DISCOVERY)
        return skill_result_from_message(answer.result().result)

    def _wait(self, condition: Callable[[], object], timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"still false after {timeout:.0f} s: {condition}")
            self._executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        """End every node."""
        for node in (self._skills, self._robot):
            node.close()
        self._goals.destroy()
        self._executor.shutdown()
        for node in (self._client, self._skills, self._robot):
            node.destroy_node()


def overrides(values: Mapping[str, Any]) -> list[Parameter]:
    """Return parameters of a node."""
    return [Parameter(name, value=value) for name, value in values.items()]


def remembered(truth: ControlledRobot, name: str, seed: int) -> tuple[Pose, Size]:
    """Return the pose of an object as memory has it, and its size."""
    model, data, thing = truth.world.model, truth.world.data, truth.world.objects[name]
    corners = np.vstack([box_corners(model, data, model.geom(geom).id) for geom in thing.geoms])
    low, high = corners.min(axis=0), corners.max(axis=0)
    error = np.random.default_rng([seed, len(name)]).normal(0.0, POSITION_ERROR, 2)
    x, y = ((low + high)[:2] / 2 + error).tolist()
    width, depth, height = (high - low).tolist()
    return Pose((x, y, float(low[2] + high[2]) / 2)), (width, depth, height)


def box_corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Return the corners of a geom's box in map, shape (8, 3)."""
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    corners: np.ndarray = (
        data.geom_xpos[geom] + (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
    )
    return corners


def attempt(context: Context, name: str, seed: int) -> dict[str, object]:
    """Grasp one object in one home."""
    bench = Bench(context, seed)
    try:
        thing = bench.truth.world.objects[name]
        target, (x, y, z) = remembered(bench.truth, name, seed)
        bench.do("look-at", target=target)
        begun, simulated = time.monotonic(), bench.truth.time
        result = bench.do("grasp", target=target, size_x=x, size_y=y, size_z=z, label=thing.phrase)
        return {
            "object": name,
            "seed": seed,
            "grasped": result.success and bench.held == thing.body,
            "status": result.status.name,
            "attempts": result.evidence.get("attempts", ""),
            "simulated_s": round(bench.truth.time - simulated, 1),
            "wall_s": round(time.monotonic() - begun, 1),
            "message": result.message,
        }
    finally:
        bench.close()


def run() -> list[dict[str, object]]:
    """One row per object and seed, and one that sums each object up."""
    names = os.environ.get("OBJECTS", OBJECTS).split(",")
    first = int(os.environ.get("FIRST", "0"))
    seeds = range(first, first + int(os.environ.get("SEEDS", "5")))
    context = Context()
    rclpy.init(context=context)
    rows: list[dict[str, object]] = []
    try:
        for name in names:
            for seed in seeds:
                rows.append(attempt(context, name, seed))
                print(rows[-1], flush=True)
    finally:
        rclpy.try_shutdown(context=context)
    return [*rows, *(summary(name, rows) for name in names)]


def summary(name: str, rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Sum up one object."""
    own = [row for row in rows if row["object"] == name]
    mean = sum(float(str(row["simulated_s"])) for row in own) / max(len(own), 1)
    grasped = f"{sum(bool(row['grasped']) for row in own)} of {len(own)}"
    return {"object": name, "seed": "all", "grasped": grasped, "simulated_s": round(mean, 1)}
