"""Pictures of the home for the conformance kit: ``python tests/goldens/render.py [FOLDER]``.

Each is colour, depth and instances of one place, with what the instances are called. Looked at once they are
kept: a later change of the home changes nothing in the kit.
"""

import sys
from pathlib import Path

import mujoco
import numpy as np
import yaml
from PIL import Image

from openral_sim.rendering.camera import InstanceLabels
from openral_sim.rendering.renderer import SceneView
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "openral_testing" / "openral_testing" / "detectors" / "goldens"
PLACES = {
    "kitchen_counter": ("at_kitchen_counter", (640, 480)),
    "dining_table": ("at_dining_table", (480, 640)),
    "bookshelf": ("at_bookshelf", (800, 450)),
    "living_room": ("living_room_middle", (641, 359)),
}
EYE, REACH, TILT = 0.9, 0.8, -30.0


def camera_at(world: SimWorldModel, place: str) -> mujoco.MjvCamera:
    """Render the view of a standing robot at a place."""
    pose = world.places[place].pose
    camera = mujoco.MjvCamera()
    camera.lookat[:] = (*pose.to_parent(REACH, 0.0), EYE)
    camera.azimuth, camera.elevation, camera.distance = float(np.degrees(pose.yaw)), TILT, 0.9
    return camera


def render(world: SimWorldModel, place: str, size: tuple[int, int], base: Path) -> None:
    """Write one picture's planes and names."""
    labels, view = InstanceLabels(world), SceneView(world.model, *size)
    view.update(world.data, camera_at(world, place))
    rgb, depth = view.render()
    semantic = np.append(labels.of_geom, np.uint16(0))[view.render_geom_ids()].astype(np.uint16)
    view.close()
    Image.fromarray(rgb).save(base.with_suffix(".rgb.png"), optimize=True)
    Image.fromarray(semantic).save(base.with_suffix(".semantic.png"), optimize=True)
    millimetres = np.clip(np.nan_to_num(depth) * 1000.0, 0, 65535).astype(np.uint16)
    Image.fromarray(millimetres).save(base.with_suffix(".depth.png"), optimize=True)
    names = {int(number): labels.phrases[number] for number in np.unique(semantic) if number}
    base.with_suffix(".labels.yaml").write_text(yaml.safe_dump(names), encoding="utf-8")


def main() -> None:
    """Render every place."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT
    folder.mkdir(parents=True, exist_ok=True)
    world = SimWorldModel.load(load_scene(ROOT / "scenes" / "deploy" / "home.yaml"), 0)
    for name, (place, size) in PLACES.items():
        render(world, place, size, folder / name)


if __name__ == "__main__":
    main()
