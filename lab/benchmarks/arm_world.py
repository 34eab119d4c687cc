"""Costs of an arm that knows only what it saw: the same skills against the model and against voxels.

GRASP of everything graspable that lies in the open, PLACE on a table, OPEN of every container, in the sampled
scenes; each from in front of the place, in physics. In the environment: SCENES="home flat" with SEEDS=n each,
WORLDS="model perceived". Collisions are contacts of the arm with furniture, walls or people that physics had
in a control period, beyond the handle that it pulls; CPU is that of the whole skill less physics.
"""

import os
import time
from collections.abc import Iterator

import mujoco
import numpy as np

from openral_bringup.graph.resources import scene_path
from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, Verb
from openral_sim.planning.perceived_collisions import arm_bodies
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.robot import load_sim_robot
from openral_sim.scene.entities import WorldFurniture
from openral_sim.scene.scene import load_scene
from openral_sim.skills.context import CONTROL_PERIOD, SkillContext
from openral_sim.skills.runner import run as run_skill
from openral_sim.world import SimWorldModel

LONG = True
TOUCH = 1.0
"""Force from which a contact counts [N]."""
Row = dict[str, object]


def run() -> list[Row]:
    """One row per verb and knowledge of the world."""
    done = list[Row]()
    for scene in os.environ.get("SCENES", "home").split():
        for seed in range(int(os.environ.get("SEEDS", "2"))):
            for source in os.environ.get("WORLDS", "model perceived").split():
                for row in tried(scene, seed, perceived=source == "perceived"):
                    done.append({"world": source, "scene": scene, "seed": seed, **row})
                    print(done[-1], flush=True)
    keys = sorted({(str(row["verb"]), str(row["world"])) for row in done})
    return [_summary(verb, world, done) for verb, world in keys]


def _summary(verb: str, world: str, done: list[Row]) -> Row:
    rows = [row for row in done if (row["verb"], row["world"]) == (verb, world)]
    return {
        "verb": verb,
        "world": world,
        "tried": len(rows),
        "succeeded": sum(bool(row["success"]) for row in rows),
        "with collisions": sum(bool(row["collided"]) for row in rows),
        "periods in collision": sum(len(str(row["collided"]).split()) for row in rows),
        "median CPU s": float(np.median([float(str(row["cpu_s"])) for row in rows])),
        "failures": "; ".join(f"{row['what']}: {row['told']}"[:90] for row in rows if not row["success"]),
    }


def tried(scene: str, seed: int, *, perceived: bool) -> Iterator[Row]:
    """Try every skill of a home, each with a fresh one."""
    world = SimWorldModel.load(load_scene(scene_path(scene)), seed, load_sim_robot())
    for item in world.objects.values():
        on = world.furniture.get(world.support_of(item.id) or "")
        if item.graspable and on is not None and not on.doors:
            yield from _fetched(scene, seed, item.id, on, perceived=perceived)
    for piece in world.furniture.values():
        if piece.doors:
            context = entered(scene, seed, perceived=perceived)
            before(context, piece)
            centre = Pose.planar(piece.pose.x, piece.pose.y, piece.pose.yaw, piece.fixture.height / 2)
            yield done(context, Verb.OPEN, piece.id, target=centre, container_id=piece.id)


def _fetched(scene: str, seed: int, name: str, on: WorldFurniture, *, perceived: bool) -> Iterator[Row]:
    """Grasp an object and put it onto the table."""
    context = entered(scene, seed, perceived=perceived)
    world = home_of(context)
    item = world.objects[name]
    before(context, on)
    x, y, z = item.size
    target = Pose.from_matrix(world.T_world(item.body))
    row = done(context, Verb.GRASP, name, target=target, label=item.phrase, size_x=x, size_y=y, size_z=z)
    yield row
    tables = [each for each in world.furniture.values() if each.fixture.kind == "table"]
    if row["success"] and tables:
        at = tables[0].fixture
        spot = Pose.planar(at.pose.x, at.pose.y, 0.0, at.surfaces[0].z)
        yield done(context, Verb.PLACE, name, target=spot)


def entered(scene: str, seed: int, *, perceived: bool) -> SkillContext:
    """Return a robot in a fresh home; it is told the furniture, as with the shipped map."""
    world = SimWorldModel.load(load_scene(scene_path(scene)), seed, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    space = PerceivedSpace(world.scene.home.fixtures) if perceived else None
    return SkillContext(world, seed, space=space)


def home_of(context: SkillContext) -> SimWorldModel:
    """Return the world of a robot that `entered` made."""
    assert isinstance(context.world, SimWorldModel)
    return context.world


def before(context: SkillContext, piece: WorldFurniture) -> None:
    """Drive in front of a piece of furniture and look at it."""
    x, y = piece.pose.to_parent(piece.fixture.depth / 2 + 0.7, 0.0)
    done(context, Verb.NAVIGATE, piece.id, goal=Pose.planar(x, y, piece.pose.yaw + np.pi))
    centre = Pose.planar(piece.pose.x, piece.pose.y, 0.0, piece.fixture.height * 0.9)
    done(context, Verb.LOOK_AT, piece.id, target=centre)


def done(context: SkillContext, verb: Verb, what: str, **params: ParamValue) -> Row:
    """Do one skill to its end."""
    running, collided, cpu = run_skill(context, verb, params), list[str](), 0.0
    while True:
        began = time.process_time()
        try:
            next(running)
        except StopIteration as end:
            result: SkillResult = end.value
            break
        finally:
            cpu += time.process_time() - began
        home_of(context).step(CONTROL_PERIOD)
        collided += touched(context)
    return {
        "verb": verb.value,
        "what": what,
        "success": result.success,
        "told": "" if result.success else f"{result.status.name}: {result.message}",
        "collided": " ".join(collided),
        "cpu_s": round(cpu, 2),
    }


def touched(context: SkillContext) -> list[str]:
    """Return what of the home the arm pushes against now, less the door whose handle it holds."""
    model, data, arm = context.model, context.data, set(arm_bodies(context.model, context.names))
    found = set[str]()
    for index in range(data.ncon):
        bodies = [int(model.geom_bodyid[geom]) for geom in data.contact[index].geom]
        others = [body for body in bodies if body not in arm]
        if len(others) != 1:
            continue
        kind, _, rest = model.body(others[0]).name.partition("/")
        if kind in ("furniture", "wall", "person") and not (context.on_handle and "/" in rest):
            force = np.zeros(6)
            mujoco.mj_contactForce(model, data, index, force)
            found.update([rest] if abs(force[0]) > TOUCH else [])
    return sorted(found)
