"""Places cleared in physics: what lies on a place before and after, by the simulator's truth.

Scripted planner, ground-truth detectors, the whole stack in one process. SEEDS=n in the environment, else 3;
PLACES=a,b: places of the scene `home`, else the coffee table and the dining table. The baseline is the home
as it is drawn: the share of its objects that have left the place.
"""

import os

from openral_bringup.graph.resources import rskill_folders, scene_path
from openral_core.rskills import Registry
from openral_household_benchmark.environment import HouseholdEnv, robot_at_home
from openral_household_benchmark.episode import MissionEpisode
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings

LONG = True
SCENE = "home"


def run() -> list[dict[str, object]]:
    """One row per place and seed."""
    places = os.environ.get("PLACES", "coffee_table,dining_table").split(",")
    registry = Registry.load(rskill_folders())
    return [
        clear(place, seed, registry) for place in places for seed in range(int(os.environ.get("SEEDS", "3")))
    ]


def clear(place: str, seed: int, registry: Registry) -> dict[str, object]:
    """Clear one place of one home."""
    with robot_at_home(scene_path(SCENE), seed, registry) as robot:
        before = objects_at(robot, place)
        core = MissionEpisode(robot, registry, ScriptedModel(), MissionSettings(), lambda *_: None)
        report = core.run(f"clear the {place.replace('_', ' ')}", "")
        after = objects_at(robot, place)
        graspable = {each for each in before if robot.simulation.world.objects[each].graspable}
        budget = {line.name: line.used for line in report.budget}
        return {
            "place": place,
            "seed": seed,
            "before": len(before),
            "of them graspable": len(graspable),
            "after": len(after),
            "share cleared of the graspable": round(len(graspable - after) / len(graspable), 2)
            if graspable
            else "",
            "mission": report.state.name,
            "proven by the mission, but not clear": report.state.name == "SUCCEEDED" and bool(after),
            "simulated_s": round(budget["seconds"]),
            "skills": int(budget["skills"]),
            "decisions": int(budget["model_calls"]),
            "reason": report.reason[:160],
        }


def objects_at(robot: HouseholdEnv, place: str) -> set[str]:
    """Return the ids of the objects that truly lie on a place."""
    world, home = robot.simulation.world, robot.memory.home
    found = set()
    for each in world.objects.values():
        x, y, z = (float(value) for value in world.T_world(each.body)[:3, 3])
        site = home.support_of((x, y, z), z - each.size[2] / 2.0)
        if site is not None and site.node.id == place:
            found.add(each.id)
    return found
