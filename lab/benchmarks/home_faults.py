"""A home that changes under a robot that found it itself: faults of its map, furniture, doors and people.

In one process and in simulated time, as `openral bench household --map explored --drift mild`: `home` is
explored once, and for every fault a robot begins with what that left; a second goal follows. In the
environment: CELLS="door_shut ..." chooses faults; SEED=n; LEARNED=1 for `home-tiny` and its locator, not
ground truth; OUT=folder keeps the exploration and the recordings.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.home_map import Pose2
from openral_core.rskills import Registry
from openral_household_benchmark.choices import HomeKnowledge, Perturbation, TaskType
from openral_household_benchmark.environment import DetectorPair, HouseholdEnv, robot_without_map
from openral_household_benchmark.episode import MissionEpisode, RunOptions, explore_home, visit_folder
from openral_household_benchmark.evaluation import evaluate
from openral_household_benchmark.perturbations import scene_of
from openral_household_benchmark.recording import EpisodeRecorder, save_sheet
from openral_household_benchmark.task import Task
from openral_reasoner.commands import MissionReport
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings
from openral_sim.choices import DriftName
from openral_sim.scene.schema import Walk

LONG = True
SCENE = "home"
GROUND_TRUTH = DetectorPair("sim-groundtruth-furniture", "sim-groundtruth-locator")
LEARNED = DetectorPair("home-tiny", "home-tiny-locator")
DOORWAY, WALL = (5.0, 2.85), "middle"
"""Middle of the only doorway [m], and its wall."""
Row = dict[str, object]
Change = Callable[[HouseholdEnv], None]


@dataclass(frozen=True)
class HomeFault:
    """One change of the home, or of the robot's belief.

    Attributes:
        name: As in the reliability document.
        goal: Mission that the fault is for.
        next_goal: Mission after it.
        inject: Makes the change.
        undo: Takes it back; None if it stays.
        during: Simulated time into the mission at which the fault comes [s]; before it if 0.
        lasts: Simulated time after which it is undone [s]; 0: after the mission.
        before: Mission before the fault; "" if none.
    """

    name: str
    goal: str
    next_goal: str
    inject: Change
    undo: Change | None = None
    during: float = 0.0
    lasts: float = 0.0
    before: str = ""


def _slip(robot: HouseholdEnv) -> None:
    robot.simulation.localisation.slip(0.4, -0.3, 0.26)


def _set_door(*, shut: bool) -> Change:
    return lambda robot: robot.simulation.world.set_doorway(WALL, shut=shut)


def _stand(x: float, y: float) -> Change:
    def place(robot: HouseholdEnv) -> None:
        world = robot.simulation.world
        world.move_body(next(iter(world.people.values())).body, Pose2(x=x, y=y, yaw=3.1))

    return place


def _walk(*path: tuple[float, float]) -> Change:
    def start(robot: HouseholdEnv) -> None:
        world = robot.simulation.world
        world.start_walk(next(iter(world.people)), Walk(path=path))

    return start


def _move(furniture: str, x: float, y: float, yaw: float) -> Change:
    def move(robot: HouseholdEnv) -> None:
        world = robot.simulation.world
        pose = world.body_pose(world.furniture[furniture].body)
        world.move_furniture(furniture, Pose2(x=pose.x + x, y=pose.y + y, yaw=pose.yaw + yaw))

    return move


FAR, NEAR = "find the book", "find the red mug"
FAULTS = (
    HomeFault("odometry_jumps", "bring me the baguette", NEAR, _slip, during=6.0),
    HomeFault("odometry_jumps_at_rest", "find the remote", NEAR, _slip),
    HomeFault(
        "furniture_moved", "bring me the apple", NEAR, _move("dining_table", -0.35, -0.5, 0.35),
        before="find the apple",
    ),
    HomeFault("door_shut", FAR, NEAR, _set_door(shut=True)),
    HomeFault("door_shut_then_open", FAR, FAR, _set_door(shut=True), _set_door(shut=False)),
    HomeFault("person_in_doorway_leaves", FAR, NEAR, _stand(*DOORWAY), _stand(7.9, 1.0), lasts=30.0),
    HomeFault("person_walks", "bring me the baguette", NEAR, _walk((6.0, 2.85), (6.5, 3.3)), during=8.0),
    HomeFault("person_walks_far", "bring me the remote", NEAR, _walk((6.0, 2.85), (3.3, 2.2)), during=5.0),
    HomeFault("person_in_doorway_stays", FAR, FAR, _stand(*DOORWAY), _stand(7.9, 1.0)),
)  # fmt: skip


def run() -> list[Row]:
    """One row per fault."""
    out = Path(os.environ.get("OUT", "runs/home_faults")).resolve()
    seed, chosen = int(os.environ.get("SEED", "0")), os.environ.get("CELLS", "").split()
    pair, registry = LEARNED if os.environ.get("LEARNED") else GROUND_TRUTH, Registry.load(rskill_folders())
    options = RunOptions(pair=pair, home=HomeKnowledge.EXPLORED, drift=DriftName.MILD)
    explore_home(SCENE, seed, registry, ScriptedModel(), out, options)
    rows = list[Row]()
    for fault in FAULTS:
        if not chosen or fault.name in chosen:
            rows.append(tried(fault, seed, pair, registry, out))
            print(rows[-1], flush=True)
    return rows


def tried(fault: HomeFault, seed: int, pair: DetectorPair, registry: Registry, out: Path) -> Row:
    """Have one robot meet a fault, and the goal after it."""
    began, folder = time.monotonic(), out / f"{fault.name}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(visit_folder(out, SCENE, seed) / "left", folder / "left")
    with ExitStack() as stack:
        robot = stack.enter_context(
            robot_without_map(
                scene_of(Perturbation.DOOR_SHUT, scene_path(SCENE), folder),
                seed,
                registry,
                pair,
                folder / "left",
                explored=True,
                drift=DriftName.MILD,
            )
        )
        recorder = EpisodeRecorder(stack, robot, MissionSettings(), folder)
        robot.watchers.append(recorder.watch)

        def mission(goal: str) -> MissionReport:
            return MissionEpisode(robot, registry, ScriptedModel(), MissionSettings(), recorder.witness).run(
                goal, ""
            )

        if fault.before:
            mission(fault.before)
        robot.watchers.append(_schedule(fault, robot))
        started = robot.simulation.time
        first, ended = mission(fault.goal), robot.simulation.time
        if fault.undo is not None:
            fault.undo(robot)
        second = mission(fault.next_goal)
        save_sheet(recorder.stills, folder / "sheet.jpg")
        return {
            "fault": fault.name,
            "end": first.state.name,
            "truly": _judged(fault.goal, robot),
            "people in memory": len(robot.memory.seen_people),
            "simulated_s": round(ended - started),
            "operator_reads": first.reason[:300],
            "next goal": second.state.name,
            "next_simulated_s": round(robot.simulation.time - ended),
            "next_reads": second.reason[:160],
            "pose error [m], [rad]": tuple(round(each, 3) for each in robot.simulation.localisation.error),
            "wall_s": round(time.monotonic() - began),
        }


def _judged(goal: str, robot: HouseholdEnv) -> str:
    """Judge a fetch by the simulator's truth; "" if it is done, or not one."""
    phrase = goal.removeprefix("bring me the ")
    person = next(iter(robot.simulation.world.people))
    return "" if phrase == goal else evaluate(robot, Task(TaskType.FETCH, goal, phrase, person))


def _schedule(fault: HomeFault, robot: HouseholdEnv) -> Callable[[], None]:
    """Return what injects the fault in time, and undoes it if it lasts for a while."""
    begins = robot.simulation.time + fault.during
    changes = [(begins, fault.inject)]
    if fault.undo is not None and fault.lasts:
        changes.append((begins + fault.lasts, fault.undo))
    if not fault.during:
        changes.pop(0)[1](robot)

    def watch() -> None:
        while changes and robot.simulation.time >= changes[0][0]:
            changes.pop(0)[1](robot)

    return watch
