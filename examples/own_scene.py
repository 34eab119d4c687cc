"""A scene of your own: furnish a sampled home with objects of your choice, check it and write it.

Usage: tools/env python examples/own_scene.py [folder]
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from openral_sim.scene.scene_files import write_home
from openral_sim.scene.schema import ObjectPlacement
from openral_training.homes.home import sample_home
from openral_training.homes.validation import find_problems

SEED, ROOMS = 3, 1


def main(folder: Path) -> int:
    """Write ``deploy/breakfast.yaml`` and ``maps/breakfast.yaml``; 0 if the scene has no problems."""
    scene = sample_home(SEED, ROOMS, "breakfast")
    table = next(fixture for fixture in scene.home.fixtures if fixture.kind == "table")
    breakfast = (
        ObjectPlacement(
            id="yellow_mug", kind="mug", fixture=table.id, surface="top", at=(0.1, -0.2), colour="yellow"
        ),
        ObjectPlacement(id="breakfast_bowl", kind="bowl", fixture=table.id, surface="top", at=(0.1, 0.2)),
    )
    elsewhere = tuple(placed for placed in scene.document.objects if placed.fixture != table.id)
    document = scene.document.model_copy(update={"objects": (*elsewhere, *breakfast)})
    scene = replace(scene, document=document)
    file = write_home(scene, folder)
    problems = [str(problem) for problem in find_problems(scene, 0)]
    print(f"{file}: {len(problems)} problems", *problems, sep="\n  ")
    print(f"run it with: python3 deploy_sim.py --scene {file}")
    return 1 if problems else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary)))
