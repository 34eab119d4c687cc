"""Faults of Nav2, MoveIt and a gripper in three phases of a goal, each with the goal after it.

A cell starts the skill server beside action servers of which one misbehaves, and checks that the goal ends
with a typed status that is true, that no goal is left running at a server, and that the next goal is reached.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import nan
from pathlib import Path
from time import monotonic
from typing import Any

import domain_coordinator
import pytest
import rclpy
from action_msgs.srv import CancelGoal
from dds_ports import domains
from foreign_arm import ARM, CAMERA, CUP, OPENING, SKILLS, TABLE, ForeignArm, grasp
from foreign_robot import Bench, FakeServer, shorten_timeouts
from nav2_msgs.action import NavigateToPose

from openral_core.geometry import Pose

PHASES = ("before accept", "mid-motion", "at the end")
DEADLINE = 3.0
"""Deadline of goals whose fault lasts until then [s]."""
RESULT_TIMEOUT = 40.0
"""A goal without a result by then has no end [s]."""
IDLE_TIMEOUT = 10.0
"""Time in which nothing may be left running after the fault is over [s]."""
SETTLED = 0.3
"""Time after which the server has the request for the goal's result [s]."""
Row = dict[str, object]
NAV2_CODES = {"unreachable": 208, "collides": 206, "blocked": 105, "timed out": 9003, "unknown code": 4711}
MOVEIT_CODES = {"unreachable": -31, "collides": -12, "blocked": -4, "timed out": -6, "unknown code": 4711}
NO_CODE = "no code"
"""An abort without a code, as of a distribution whose result has none."""
EXPECTED: Mapping[str, str] = {
    "absent": "INACTIVE SKILL_ERROR",
    "rejects": "INACTIVE",
    "silent": "SKILL_ERROR",
    "accepts too late": "SKILL_ERROR",
    "unreachable": "NOT_REACHABLE SUCCEEDED",
    "collides": "NOT_REACHABLE SUCCEEDED",
    "blocked": "BLOCKED SUCCEEDED",
    "timed out": "TIMEOUT",
    "unknown code": "SKILL_ERROR",
    NO_CODE: "BLOCKED SKILL_ERROR",
    "stalls": "TIMEOUT BLOCKED",
    "ignores cancellation": "TIMEOUT",
    "dies": "SKILL_ERROR",
    "dies and returns": "SKILL_ERROR TIMEOUT",
    "pre-empted": "CANCELLED",
    "cancel race": "CANCELLED SUCCEEDED",
    "client gone": "",
    "deactivated": "CANCELLED",
    "feedback not a number": "SUCCEEDED",
    "false success": "NOT_IN_GRIPPER_RANGE LOST_OBJECT BLOCKED SUCCEEDED",
}
"""Statuses in which a goal may end, by fault; SUCCEEDED also has to be true."""
AT_ACCEPTANCE = ("absent", "rejects", "silent", "accepts too late")
MODES = {
    "rejects": "rejects",
    "silent": "silent",
    "accepts too late": "silent",
    "ignores cancellation": "hangs",
    "cancel race": "races",
    "feedback not a number": "succeeds",
    "false success": "succeeds",
    **dict.fromkeys((*NAV2_CODES, NO_CODE), "aborts"),
}
LASTING = ("stalls", "ignores cancellation", "dies and returns")


@dataclass
class Rig:
    """A skill server beside the servers of a robot; one of them is ``faulty``.

    ``sends`` lists the skills of the cell, ``index`` the number of the foreign goal in which each phase is.
    """

    bench: Bench
    faulty: FakeServer
    sends: Sequence[Callable[[float], Any]]
    index: Mapping[str, int]
    next_goal: Callable[[], Any]
    is_true: Callable[[int], bool]
    restore: Callable[[], None] = lambda: None
    node: Any = None
    goals: list[Any] = field(default_factory=list)


def drive_rig(bench: Bench, phase: str, lease: float) -> Rig:
    nav2 = bench.nav2()
    for left in ((), (4.0, 2.0), (4.0, 2.0, 0.1))[PHASES.index(phase)]:
        nav2.feedback = [*nav2.feedback, NavigateToPose.Feedback(distance_remaining=left)]
        nav2.feedback[-1].current_pose.pose.orientation.w = 1.0

    def send(deadline: float) -> Any:
        return bench.send("navigate", deadline=deadline, goal=Pose.planar(3.0, 1.0, 0.0))

    rig = Rig(bench, nav2, [send], dict.fromkeys(PHASES, 0), lambda: send(0.0), lambda _: True)
    skills = {"NAVIGATE": {"backend": "nav2", "progress_timeout": 1.5}}
    rig.node = bench.start(skills, client_lease=lease)
    return rig


def arm_rig(bench: Bench, server: str, lease: float) -> Rig:
    arm, board = ForeignArm(bench), Pose((0.55, 0.1, TABLE))

    def put(deadline: float) -> Any:
        return bench.send("place", deadline=deadline, target=board)

    def take(deadline: float) -> Any:
        return grasp(bench, deadline=deadline)

    def is_true(number: int) -> bool:
        return arm.holds if number == 0 else not arm.holds and arm.cup is not None

    def restore() -> None:
        arm.motion.react, arm.fingers.react = arm.move, arm.grip
        if not bench.catalogue[-1].holding:
            arm.cup, arm.holds, arm.opening = CUP, False, OPENING

    def next_goal() -> Any:
        return put(0.0) if bench.catalogue[-1].holding else take(0.0)

    sends = [take] if server == "motion" else [take, put]
    index = dict(zip(PHASES, (0, 1, 3 if server == "motion" else 2), strict=True))
    rig = Rig(bench, getattr(arm, server), sends, index, next_goal, is_true, restore)
    rig.node = bench.start(SKILLS, arm=ARM, cameras={"head": CAMERA}, client_lease=lease)
    return rig


def make_rig(bench: Bench, backend: str, phase: str, lease: float) -> Rig:
    if backend == "nav2":
        return drive_rig(bench, phase, lease)
    return arm_rig(bench, "motion" if backend == "moveit" else "fingers", lease)


def applies(fault: str, phase: str, backend: str) -> bool:
    """A drive is one goal, which is accepted once; nothing but its result tells that it has arrived."""
    if backend == "nav2":
        return fault != "false success" and (phase == PHASES[0] or fault not in AT_ACCEPTANCE)
    return True


def arm_fault(rig: Rig, fault: str, phase: str, backend: str) -> None:
    server = rig.faulty
    codes = NAV2_CODES if backend == "nav2" else MOVEIT_CODES
    index = rig.index[phase]
    server.fault_at, server.code = index, codes.get(fault, 0)
    server.mode = MODES.get(fault, "runs")
    if fault == "feedback not a number":
        server.feedback = [broken(message) for message in server.feedback or [server.type.Feedback()]]
    if fault in ("absent", "false success"):
        server.mode = "succeeds"
        react = server.react

        def only_others(goal: Any, result: Any) -> None:
            number = len(server.goals) - 1
            if fault == "absent" or number != index:
                react(goal, result)
            if fault == "absent" and number == index - 1:
                server.stop()

        server.react = only_others
    if fault == "absent" and index == 0:
        server.stop()


def broken(message: Any) -> Any:
    """A feedback message in which every number is none."""
    for name, kind in message.get_fields_and_field_types().items():
        if kind in ("double", "float"):
            setattr(message, name, nan)
    return message


def strike(rig: Rig, fault: str, goal: Any) -> None:
    """Let the fault happen while the goal runs at its server."""
    server = rig.faulty
    awaited = monotonic() + SETTLED
    rig.bench.until(lambda: monotonic() > awaited)
    if fault in ("dies", "dies and returns"):
        server.stop()
        server.running.clear()
    if fault == "dies and returns":
        server.start()
    if fault == "pre-empted":
        other = rig.bench.client.create_client(CancelGoal, f"{server.name}/_action/cancel_goal")
        rig.bench.until(other.service_is_ready)
        rig.bench.wait(other.call_async(CancelGoal.Request()))
    if fault == "cancel race":
        goal.cancel()
    if fault == "client gone":
        rig.bench.leave()
    if fault == "deactivated":
        rig.node.trigger_deactivate()


STRIKES = ("dies", "dies and returns", "pre-empted", "cancel race", "client gone", "deactivated")


def carried_out(rig: Rig, fault: str) -> tuple[str, str, int]:
    """Status and message of the goal that met the fault, and its number."""
    deadline = DEADLINE if fault in LASTING else 30.0
    for number, send in enumerate(rig.sends):
        goal = send(deadline)
        rig.bench.until(partial(is_due, rig, fault, goal), RESULT_TIMEOUT)
        if not goal.ended:
            strike(rig, fault, goal)
            if fault == "client gone":
                return "", "no client", number
        result = goal.result(RESULT_TIMEOUT)
        if not result.success or number == len(rig.sends) - 1:
            break
    return result.status.name, result.message, number


def is_due(rig: Rig, fault: str, goal: Any) -> bool:
    """True if a skill has ended, or its goal runs at the server in which the fault has to strike."""
    server = rig.faulty
    assert isinstance(server.fault_at, int)
    met = len(server.goals) > server.fault_at and bool(server.running)
    return goal.ended or (fault in STRIKES and met)


def over(rig: Rig, fault: str) -> None:
    """End the fault: the server answers, obeys, or is started again."""
    server = rig.faulty
    if fault == "accepts too late":
        server.mode = "runs"
        server.answer()
        rig.bench.until(lambda: server.cancels, IDLE_TIMEOUT)
    elif fault == "silent":
        server.mode = "rejects"
        server.answer()
    elif fault == "ignores cancellation":
        server.obey()
    rig.bench.until(lambda: not rig.faulty.running, IDLE_TIMEOUT)
    server.mode, server.code, server.feedback = "succeeds", 0, ()
    if server.server is None:
        server.start()
    if fault == "client gone":
        rig.bench.return_()
    if fault == "deactivated":
        rig.node.trigger_activate()
    rig.restore()


def try_cell(fault: str, phase: str, backend: str) -> Row:
    row: Row = {"fault": fault, "phase": phase, "backend": backend, "ok": "NO"}
    began = monotonic()
    with bench_in_its_domain() as bench:
        rig = make_rig(bench, backend, phase, 0.5 if fault == "client gone" else 20.0)
        try:
            if fault != "absent" or phase != PHASES[0]:
                bench.until(bench.offered)
            arm_fault(rig, fault, phase, backend)
            status, row["message"], number = carried_out(rig, fault)
            row["status"] = status
            typed = status in EXPECTED[fault].split() or (not status and fault == "client gone")
            typed |= backend == "gripper" and rig.faulty.mode == "aborts" and status == "BLOCKED"
            row["typed"] = typed
            row["true"] = status != "SUCCEEDED" or rig.is_true(number)
            over(rig, fault)
            bench.until(lambda: not any(server.running for server in bench.servers), IDLE_TIMEOUT)
            bench.until(lambda: bench.catalogue[-1].busy_with == "" and bench.offered(), IDLE_TIMEOUT)
            row["left_running"] = sum(len(server.running) for server in bench.servers)
            after = rig.next_goal().result(RESULT_TIMEOUT)
            row["next_goal"] = after.status.name
            row["ok"] = "yes" if typed and row["true"] and after.success else "NO"
        except AssertionError as error:
            row["message"] = f"{row.get('message', '')} | {str(error)[:160]}"
    return row | {"seconds": monotonic() - began}


@contextmanager
def bench_in_its_domain() -> Iterator[Bench]:
    """A bench with short timeouts, in an unused ROS domain."""
    with (
        pytest.MonkeyPatch.context() as patch,
        domain_coordinator.domain_id(domains().__next__) as domain,
        tempfile.TemporaryDirectory() as folder,
    ):
        shorten_timeouts(patch.setattr)
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        context = rclpy.context.Context()
        rclpy.init(context=context, domain_id=domain)
        bench = Bench(context, Path(folder))
        try:
            yield bench
        finally:
            bench.close()
            rclpy.try_shutdown(context=context)


CELLS = [
    (fault, phase, backend)
    for fault in EXPECTED
    for phase in PHASES
    for backend in ("nav2", "moveit", "gripper")
    if applies(fault, phase, backend)
]
