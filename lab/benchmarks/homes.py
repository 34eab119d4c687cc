"""Real-time factor of each shipped home, and its bottleneck.

CPU time of this process, which draws with one thread: what one free core would do. HOMES=a,b chooses.
"""

import os
import time
from pathlib import Path

import mujoco

from openral_sim.procedural.home import find_scene, shipped_scenes
from openral_sim.rendering import CameraRenderer
from openral_sim.robot import load_sim_robot
from openral_sim.scene.scene import Scene
from openral_sim.world import SimWorldModel

SCENES = Path(__file__).parents[2] / "scenes"
SIMULATED = 2.0
FRAMES = 15


def run() -> list[dict[str, object]]:
    """One row per home."""
    asked = os.environ.get("HOMES", "")
    names = asked.split(",") if asked else list(shipped_scenes(SCENES))
    os.environ["LP_NUM_THREADS"] = "1"
    return [measured(name, find_scene(name, SCENES)) for name in names]


def measured(name: str, scene: Scene) -> dict[str, object]:
    """Physics, drawing, and what they make together at the cameras' rates with nothing else to do."""
    began = time.perf_counter()
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    loaded = time.perf_counter() - began
    step = physics(world)
    plain, shaded = (frame(world, shadows=shadows) for shadows in (False, True))
    semantic = frame(world, labels=True)
    rates = [style.rate for style in scene.document.cameras.values()]
    per_second = step + sum(rates) * (plain + semantic)
    with_shadows = step + sum(rates) * (shaded + semantic)
    return {
        "home": name,
        "rooms": len(scene.home.rooms),
        "things": len(scene.document.objects),
        "dof": world.model.nv,
        "load [s]": round(loaded, 1),
        "physics [ms per s]": round(1000 * step),
        "frame [ms]": round(1000 * plain, 1),
        "with shadows [ms]": round(1000 * shaded, 1),
        "labels [ms]": round(1000 * semantic, 1),
        "times real time": round(1 / per_second, 1),
        "with shadows": round(1 / with_shadows, 1),
        "drawn share": f"{1 - step / per_second:.0%}",
    }


def physics(world: SimWorldModel) -> float:
    """CPU time of one simulated second."""
    steps = round(SIMULATED / world.model.opt.timestep)
    began = time.process_time()
    mujoco.mj_step(world.model, world.data, steps)
    return (time.process_time() - began) / SIMULATED


def frame(world: SimWorldModel, shadows: bool = False, labels: bool = False) -> float:
    """CPU time of one 320 x 240 frame of the head camera: colour with depth, or instance labels."""
    with CameraRenderer(world, "robot/head", 320, 240, shadows) as camera:
        draw = camera.segment if labels else camera.render
        draw()
        began = time.process_time()
        for _ in range(FRAMES):
            draw()
        return (time.process_time() - began) / FRAMES
