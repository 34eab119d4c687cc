"""The wine scenario, skill by skill in one process, on poses within 1 cm of the truth, over seeds.

SEEDS=n in the environment, else 10; PICTURES=folder keeps a picture after every step of seed 0.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, Verb
from openral_sim.rendering.renderer import SceneView
from openral_sim.rendering.snapshot import free_camera
from openral_sim.robot import load_sim_robot
from openral_sim.scene.scene import load_scene
from openral_sim.skills.context import CONTROL_PERIOD, SkillContext
from openral_sim.skills.runner import run as run_skill
from openral_sim.world import SimWorldModel

LONG = True
SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
NOISE = 0.01
BOTTLE, GLASS, COUNTER = "wine_bottle", "wine_glass", "kitchen_counter"
Params = dict[str, ParamValue]


@dataclass
class Scenario:
    """One robot in one home, and what it did."""

    world: SimWorldModel
    seed: int
    results: list[tuple[Verb, SkillResult]] = field(default_factory=list)

    def __post_init__(self) -> None:
        load_sim_robot().set_stowed(self.world.model, self.world.data)
        self.robot = SkillContext(self.world, self.seed)
        self.rng = np.random.default_rng(self.seed)

    def do(self, verb: Verb, params: Params) -> bool:
        """Run a skill to its end."""
        skill = run_skill(self.robot, verb, params)
        while True:
            try:
                next(skill)
            except StopIteration as end:
                self.results.append((verb, end.value))
                return bool(end.value.success)
            self.world.step(CONTROL_PERIOD)

    def fixture(self, name: str) -> Pose:
        """Return the centre of a piece of furniture on the map."""
        item = self.world.furniture[name]
        return Pose.planar(item.pose.x, item.pose.y, item.pose.yaw, item.fixture.height / 2)

    def thing(self, name: str) -> Params:
        """Return an object as memory would recall it."""
        item = self.world.objects[name]
        x, y, z = (
            float(v) for v in self.world.T_world(item.body)[:3, 3] + self.rng.uniform(-NOISE, NOISE, 3)
        )
        size = dict(zip(("size_x", "size_y", "size_z"), item.size, strict=True))
        return {"target": Pose((x, y, z)), "label": item.phrase, **size}


def steps(scenario: Scenario) -> Iterator[tuple[str, Verb, Callable[[], Params]]]:
    """The scenario in order; each step's parameters are asked for when it begins."""
    person = scenario.world.people["requester"]

    def stand(place: str) -> Callable[[], Params]:
        pose = scenario.world.places[place].pose
        return lambda: {"goal": Pose.planar(pose.x, pose.y, pose.yaw)}

    def door(name: str) -> Callable[[], Params]:
        return lambda: {"target": scenario.fixture(name), "container_id": name}

    def vessel() -> Params:
        known = scenario.thing(GLASS)
        return {"target": known["target"], "label": known["label"]}

    put: Params = {"target": scenario.fixture(COUNTER)}
    agent = Pose.planar(person.pose.x, person.pose.y, person.pose.yaw)
    yield "go to the fridge", Verb.NAVIGATE, stand("at_fridge")
    yield "open the fridge", Verb.OPEN, door("fridge")
    yield "take the bottle", Verb.GRASP, lambda: scenario.thing(BOTTLE)
    yield "put the bottle on the counter", Verb.PLACE, lambda: put
    yield "close the fridge", Verb.CLOSE, door("fridge")
    yield "open the cabinet", Verb.OPEN, door("cabinet")
    yield "take a glass", Verb.GRASP, lambda: scenario.thing(GLASS)
    yield "put the glass on the counter", Verb.PLACE, lambda: put
    yield "take the bottle again", Verb.GRASP, lambda: scenario.thing(BOTTLE)
    yield "pour", Verb.POUR, vessel
    yield "put the bottle down", Verb.PLACE, lambda: put
    yield "take the full glass", Verb.GRASP, lambda: scenario.thing(GLASS)
    yield "go to the living room", Verb.NAVIGATE, stand("living_room_middle")
    yield "hand it over", Verb.HANDOVER, lambda: {"agent": agent, "agent_id": person.id}


def run() -> list[dict[str, object]]:
    """One row per seed, and one that sums up."""
    rows = [errand_row(seed) for seed in range(int(os.environ.get("SEEDS", "10")))]
    done = [row for row in rows if row["failed_at"] == ""]
    total = {
        "seed": "all",
        "failed_at": f"{len(done)}/{len(rows)} delivered",
        "sim_s": sum(float(str(row["sim_s"])) for row in rows) / len(rows),
        "wall_s": sum(float(str(row["wall_s"])) for row in rows) / len(rows),
    }
    return [*rows, total]


def errand_row(seed: int) -> dict[str, object]:
    """One scenario until it is done or a step fails."""
    scenario = Scenario(SimWorldModel.load(load_scene(SCENE), seed, load_sim_robot()), seed)
    began, failed, reason = time.monotonic(), "", ""
    for number, (name, verb, params) in enumerate(steps(scenario)):
        if not scenario.do(verb, params()):
            failed, reason = name, scenario.results[-1][1].message
        keep_picture(scenario, f"{number:02d} {name}")
        if failed:
            break
    wall = time.monotonic() - began
    poured = [
        result.evidence["fill"] for verb, result in scenario.results if verb is Verb.POUR and result.success
    ]
    return {
        "seed": seed,
        "failed_at": failed,
        "steps": len(scenario.results),
        "fill": poured[0] if poured else "",
        "sim_s": round(scenario.world.time, 1),
        "wall_s": round(wall, 1),
        "times_real_time": round(scenario.world.time / wall, 1),
        "reason": reason,
    }


def keep_picture(scenario: Scenario, name: str) -> None:
    """Render the scene after a step, if requested."""
    folder = os.environ.get("PICTURES", "")
    if not folder or scenario.seed != 0:
        return
    x, y, yaw = scenario.robot.control.base_pose
    lookat = (float(x + 0.5 * np.cos(yaw)), float(y + 0.5 * np.sin(yaw)), 0.9)
    view = SceneView(scenario.world.model, 480, 360)
    # From inside the flat, over the robot's shoulder.
    view.update(scenario.world.data, free_camera(lookat, float(np.degrees(yaw)) + 25.0, -28.0, 1.9))
    Path(folder).mkdir(parents=True, exist_ok=True)
    Image.fromarray(view.render()[0]).save(Path(folder) / f"{name.replace(' ', '_')}.png")
    view.close()
