"""Position error of objects lifted from cameras of any lens, resolution, region, registration and mount.

MuJoCo renders six faces of a cube around the camera, from which each lens's image is resampled along exact
rays: labels give the boxes, depths go through CameraInfo and the lift. PICTURES=folder keeps the images.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import cv2
import mujoco
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, RegionOfInterest

from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_sim.rendering.camera import fixed_camera
from openral_sim.rendering.renderer import SceneView
from openral_testing.lens_models import Array, Lens
from openral_testing.synthetic_depth import look_at_pose
from openral_world_state.depth_camera import DepthRegistration, DepthView, Intrinsics, InvalidIntrinsics
from openral_world_state.lifting import DepthModel, LiftRefused, lift
from openral_world_state.ros.depth_subscription import intrinsics_of

Row = dict[str, str | float]
EYE = np.array([0.0, 0.0, 1.2])
BESIDE = np.array([0.01, 0.06, 1.19])
TOE_IN = cv2.Rodrigues(np.array([0.01, 0.04, 0.015]))[0]
"""Rotation of the depth camera in the colour camera's frame."""
FACE = 1600
"""Width of a face of the cube [px]; 1 mm at 1.5 m, a quarter of a pixel of the cameras below."""
LEAST_PIXELS, BORDER, LIMIT = 150, 3, 0.01
_RATIONAL = (0.42, 0.12, 0.0011, -0.0007, 0.011, 0.8, 0.21, 0.03)
_PRISM = (0.0035, -0.0012, 0.0026, 0.0008)
_BARREL = (-0.28, 0.09, 0.0009, -0.0006, -0.012)


@dataclass(frozen=True)
class Target:
    """An upright cylinder: bearing and elevation from the camera [deg], distance, radius and height [m]."""

    bearing: float
    elevation: float
    distance: float
    radius: float = 0.035
    height: float = 0.13

    @property
    def center(self) -> Array:
        """Position in map [m], shape (3,)."""
        b, e = math.radians(self.bearing), math.radians(self.elevation)
        return EYE + self.distance * np.array(
            [math.cos(e) * math.cos(b), math.cos(e) * math.sin(b), math.sin(e)]
        )


TARGETS = (
    *(Target(b, 0.0, 1.5) for b in (-62.0, -44.0, -22.0, 0.0, 22.0, 44.0, 62.0)),
    *(Target(b, -45.0, 1.5, 0.04, 0.1) for b in (-17.0, 17.0)),
    *(Target(b, -35.0, 0.5) for b in (-33.0, 33.0)),
    *(Target(b, -20.0, 1.0) for b in (-11.0, 11.0, 54.0)),
    *(Target(b, 8.0, 2.0, 0.045, 0.2) for b in (-33.0, 33.0, 12.0)),
    *(Target(b, 12.0, 3.0, 0.06, 0.25) for b in (-7.0, 27.0, -52.0)),
)


@dataclass(frozen=True)
class OddCamera:
    """A camera: its lens, its CameraInfo, and the image that it publishes.

    Args:
        lens: Of the raw image at full resolution.
        binning: Pixels combined to one, (x, y).
        region: Of interest in the raw image: x, y, width, height [px]; zeros are the whole image.
        rectified: Focal length of the rectified image [px]; 0 for a raw image.
        depth: Lens of a depth camera beside it; None if depth is registered.
    """

    lens: Lens
    binning: tuple[int, int] = (1, 1)
    region: tuple[int, int, int, int] = (0, 0, 0, 0)
    rectified: float = 0.0
    depth: Lens | None = None

    @property
    def info(self) -> CameraInfo:
        """Description of its images."""
        (width, height), (x, y, w, h) = self.lens.size, self.region
        P = np.hstack((self._published.K, np.zeros((3, 1))))
        return CameraInfo(
            width=width,
            height=height,
            distortion_model=self.lens.model,
            d=list(self.lens.coefficients),
            k=self.lens.K.ravel().tolist(),
            r=np.eye(3).ravel().tolist(),
            p=P.ravel().tolist(),
            binning_x=self.binning[0],
            binning_y=self.binning[1],
            roi=RegionOfInterest(x_offset=x, y_offset=y, width=w, height=h),
        )

    def directions(self) -> Array:
        """Unit vectors of the published image's pixels, shape (H, W, 3)."""
        x, y, width, height = self.region if any(self.region) else (0, 0, *self.lens.size)
        bx, by = self.binning
        columns = x + (np.arange(width // bx) + 0.5) * bx - 0.5
        rows = y + (np.arange(height // by) + 0.5) * by - 0.5
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1)
        return self._published.directions(pixels.reshape(-1, 2)).reshape(*pixels.shape[:2], 3)

    @property
    def _published(self) -> Lens:
        return Lens(self.rectified, self.lens.size) if self.rectified else self.lens


VGA, HD = (640, 480), (1280, 960)
PINHOLE = OddCamera(Lens(525.0, VGA))
CAMERAS: Mapping[str, OddCamera] = {
    "pinhole": PINHOLE,
    "plumb_bob, 4": OddCamera(Lens(520.0, VGA, _BARREL[:4])),
    "plumb_bob, 5": OddCamera(Lens(420.0, VGA, _BARREL)),
    "rational_polynomial, 8": OddCamera(Lens(400.0, VGA, _RATIONAL, "rational_polynomial")),
    "thin prism, 12": OddCamera(Lens(400.0, VGA, _RATIONAL + _PRISM, "rational_polynomial")),
    "thin prism, tilted, 14": OddCamera(
        Lens(400.0, VGA, (*_RATIONAL, *_PRISM, 0.03, -0.02), "rational_polynomial")
    ),
    "equidistant, 95 deg": OddCamera(Lens(380.0, VGA, (-0.02, 0.004, -0.001, 0.0002), "equidistant")),
    "equidistant, 150 deg": OddCamera(Lens(490.0, HD, (-0.03, 0.006, -0.002, 0.0003), "equidistant")),
    "binning 2x2": OddCamera(Lens(1050.0, HD, _BARREL), binning=(2, 2)),
    "binning 2x1": OddCamera(Lens(800.0, HD, _BARREL), binning=(2, 1)),
    "region": OddCamera(Lens(900.0, HD, _BARREL), region=(220, 190, 700, 560)),
    "region, binning 2x2": OddCamera(Lens(900.0, HD, _BARREL), binning=(2, 2), region=(101, 91, 1000, 700)),
    "rectified": OddCamera(Lens(420.0, VGA, _BARREL), rectified=390.0),
    "unaligned depth": OddCamera(Lens(525.0, VGA, _BARREL), depth=Lens(430.0, (848, 480))),
    "unaligned depth, both bent": OddCamera(
        Lens(400.0, VGA, _RATIONAL, "rational_polynomial"),
        depth=Lens(500.0, VGA, (-0.02, 0.004, -0.001, 0.0002), "equidistant"),
    ),
}


def mount(pitch: float, roll: float) -> Array:
    """Return the rotation of the optical frame in map, pitched up and rolled about its axis [deg]."""
    p, r = math.radians(pitch), math.radians(roll)
    level = look_at_pose((0.0, 0.0, 0.0), (math.cos(p), 0.0, math.sin(p)))[:3, :3]
    turn = np.array([[math.cos(r), -math.sin(r), 0.0], [math.sin(r), math.cos(r), 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(level @ turn)


MOUNTS: Mapping[str, Array] = {
    "level": mount(0.0, 0.0),
    "rolled 90 deg": mount(0.0, 90.0),
    "rolled 180 deg": mount(0.0, 180.0),
    "rolled 270 deg": mount(0.0, 270.0),
    "pitched 40 deg down": mount(-40.0, 0.0),
    "pitched 40 deg down, rolled 90 deg": mount(-40.0, 90.0),
}


class Panorama:
    """Colour, distance [m] and geom id in every direction around a point of a scene."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, group: int) -> None:
        view = SceneView(model, FACE, FACE, shadows=False)
        grid = (np.arange(FACE) + 0.5) * 2.0 / FACE - 1.0
        length = np.sqrt(1.0 + grid[None, :] ** 2 + grid[:, None] ** 2)
        self._faces, self.colour, self.distance, self.geom = [], [], [], []
        for index in range(group * 6, group * 6 + 6):
            view.update(data, fixed_camera(index))
            rgb, depth = view.render()
            view.update(data, fixed_camera(index))
            self.colour.append(rgb)
            self.distance.append(depth * length)
            self.geom.append(view.render_geom_ids())
            x, y, z = data.cam_xmat[index].reshape(3, 3).T
            self._faces.append(np.array([x, -y, -z]))
        self._axes = np.array([face[2] for face in self._faces])
        view.close()

    def look(self, directions: Array) -> tuple[NDArray[np.uint8], Array, NDArray[np.int32]]:
        """Colour, distance and geom id along unit vectors in map (H, W, 3); nothing where they are NaN."""
        shape = directions.shape[:2]
        colour, distance = np.zeros((*shape, 3), np.uint8), np.zeros(shape)
        geom = np.full(shape, -1, np.int32)
        known = np.isfinite(directions[..., 0])
        nearest = np.where(known, np.nan_to_num(directions @ self._axes.T, nan=-1.0).argmax(axis=-1), -1)
        for number, face in enumerate(self._faces):
            chosen = nearest == number
            there = directions[chosen] @ face.T
            plane = (there[:, :2] / there[:, 2:] + 1.0) * (FACE / 2.0)
            column, row = np.clip(plane.astype(int), 0, FACE - 1).T
            colour[chosen] = self.colour[number][row, column]
            distance[chosen] = self.distance[number][row, column]
            geom[chosen] = self.geom[number][row, column]
        return colour, distance, geom


def scene_model() -> mujoco.MjModel:
    """Compile the targets, each on a plate on a post, with six cameras of a cube at each point of view."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth = spec.visual.global_.offheight = FACE
    spec.visual.map.znear, spec.stat.extent = 0.02, 2.0
    world = spec.worldbody
    world.add_light(pos=(0.0, 0.0, 3.0), dir=(0.3, 0.1, -1.0))
    plane, box, cylinder = (
        getattr(mujoco.mjtGeom, f"mjGEOM_{kind}") for kind in ("PLANE", "BOX", "CYLINDER")
    )
    world.add_geom(type=plane, size=(6.0, 6.0, 0.1), rgba=(0.5, 0.48, 0.45, 1.0))
    world.add_geom(type=box, pos=(4.5, 0.0, 1.5), size=(0.05, 6.0, 1.5), rgba=(0.75, 0.8, 0.85, 1.0))
    for number, target in enumerate(TARGETS):
        x, y, z = target.center.tolist()
        size, colour = (target.radius, target.height / 2.0, 0.0), (0.9, 0.15 + 0.04 * number, 0.1, 1.0)
        world.add_geom(name=str(number), type=cylinder, pos=(x, y, z), size=size, rgba=colour)
        top = z - target.height / 2.0
        for side, low, high in ((0.1, top - 0.015, top), (0.015, 0.0, top - 0.015)):
            half = (side, side, (high - low) / 2.0)
            world.add_geom(type=box, pos=(x, y, (low + high) / 2.0), size=half, rgba=(0.3, 0.4, 0.3, 1.0))
    sides = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    for point, side in product((EYE, BESIDE), sides):
        right, down, _ = look_at_pose((0.0, 0.0, 0.0), (float(side[0]), float(side[1]), float(side[2])))[
            :3, :3
        ].T
        world.add_camera(pos=point, xyaxes=(*right, *-down), fovy=90.0)
    model: mujoco.MjModel = spec.compile()
    return model


@dataclass(frozen=True)
class Shot:
    """View of one camera on one mount: its depth view, geom ids (H, W) and colours (H, W, 3)."""

    view: DepthView
    geom: NDArray[np.int32]
    colour: NDArray[np.uint8]


class Optics:
    """Exact rays of a camera, and of the depth camera beside it, with what their CameraInfo describes."""

    def __init__(self, camera: OddCamera) -> None:
        self.directions = camera.directions()
        self.intrinsics = intrinsics_of(camera.info, bool(camera.rectified))
        self._registration, self._depth_directions = None, self.directions
        if camera.depth is not None:
            beside = OddCamera(camera.depth)
            self._registration = DepthRegistration(intrinsics_of(beside.info), self.intrinsics)
            self._depth_directions = beside.directions()

    def take(self, R: Array, here: Panorama, beside: Panorama) -> Shot:
        """Take a picture from a mount of this rotation; register its depth if another camera measures it."""
        colour, distance, geom = here.look(self.directions @ R.T)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, EYE
        depth = along_axis(distance, self.directions)
        if self._registration is not None:
            rays = self._depth_directions
            T_colour_depth = np.eye(4)
            T_colour_depth[:3, :3], T_colour_depth[:3, 3] = TOE_IN, R.T @ (BESIDE - EYE)
            measured = along_axis(beside.look(rays @ (R @ TOE_IN).T)[1], rays)
            depth = self._registration.register(measured, T_colour_depth)
        return Shot(DepthView("odd", 0.0, depth, self.intrinsics, T), geom, colour)


def along_axis(distance: Array, directions: Array) -> NDArray[np.float32]:
    """Depth along the optical axis [m], 0 where unknown."""
    return np.nan_to_num(distance * directions[..., 2], nan=0.0).astype(np.float32)


def boxes(shot: Shot, model: mujoco.MjModel) -> dict[Target, Box]:
    """Box of every target that is entirely in the image [px]."""
    height, width = shot.geom.shape
    found = {}
    for number, target in enumerate(TARGETS):
        mask = shot.geom == model.geom(str(number)).id
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if mask.sum() < LEAST_PIXELS:
            continue
        left, top, right, bottom = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
        if min(left, top) >= BORDER and right <= width - BORDER and bottom <= height - BORDER:
            found[target] = Box(float(left), float(top), float(right), float(bottom))
    return found


def errors(view: DepthView, seen: Mapping[Target, Box]) -> dict[Target, float]:
    """Distance of each lifted target from where it stands [m]; those that are refused are left out."""
    found = {}
    for target, box in seen.items():
        try:
            lifted = lift(view, Detection(box, "can", 0.9), DepthModel())
            found[target] = math.dist(lifted.pose.position, target.center)
        except LiftRefused:
            continue
    return found


def row(camera: str, mounted: str, shot: Shot, seen: Mapping[Target, Box]) -> Row:
    """Errors of one picture, and those of a pinhole assumed instead of its lens."""
    found = errors(shot.view, seen)
    intrinsics = shot.view.intrinsics
    assumed = Intrinsics(intrinsics.K, intrinsics.width, intrinsics.height)
    view = DepthView("pinhole", 0.0, shot.view.depth, assumed, shot.view.T_map_camera)
    near = [error for target, error in found.items() if target.distance <= 1.5]
    far = [error for target, error in found.items() if target.distance > 1.5]
    ignored = errors(view, seen).values()
    return {
        "bench": "odd cameras",
        "camera": camera,
        "mount": mounted,
        "objects": len(found),
        "refused": len(seen) - len(found),
        "up to 1.5 m, median [cm]": round(100 * float(np.median(near)), 2),
        "up to 1.5 m, worst [cm]": round(100 * max(near), 2),
        "2 to 3 m, worst [cm]": round(100 * max(far), 2) if far else "",
        "lens ignored, worst [cm]": round(100 * max(ignored, default=math.nan), 1),
    }


def refusals() -> list[Row]:
    """Cameras that are refused by name."""
    stereo = PINHOLE.info
    stereo.p[3] = -40.0
    unknown = PINHOLE.info
    unknown.distortion_model, unknown.d = "double_sphere", [0.1, 0.5]
    turned = PINHOLE.info
    turned.r = mount(0.0, 20.0).ravel().tolist()
    cases = {"double_sphere": unknown, "second stereo camera, rectified": stereo, "raw stereo camera": turned}
    rows: list[Row] = []
    for name, info in cases.items():
        try:
            intrinsics_of(info, rectified=name.endswith("rectified"))
            rows.append({"bench": "odd cameras", "camera": name, "mount": "NOT REFUSED"})
        except InvalidIntrinsics as error:
            rows.append({"bench": "odd cameras", "camera": name, "mount": f"refused: {error}"})
    return rows


def run() -> list[Row]:
    """Errors of every camera on every mount; a worst one above the limit is an error of the benchmark."""
    model = scene_model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    here, beside = Panorama(model, data, 0), Panorama(model, data, 1)
    folder = os.environ.get("PICTURES", "")
    rows: list[Row] = []
    optics = ((name, Optics(camera)) for name, camera in CAMERAS.items())
    for (name, lens), (mounted, R) in product(optics, MOUNTS.items()):
        shot = lens.take(R, here, beside)
        seen = boxes(shot, model)
        rows.append(row(name, mounted, shot, seen))
        if folder:
            write_picture(Path(folder) / f"{name}, {mounted}.png", shot, seen)
    above = [r for r in rows if not float(r["up to 1.5 m, worst [cm]"]) <= 100 * LIMIT]
    if above:
        raise InaccurateLift(above)
    return rows + refusals()


class InaccurateLift(OpenRALError):
    """A camera whose objects are misplaced by more than the limit."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(f"above {100 * LIMIT:g} cm at up to 1.5 m: {rows}")


def write_picture(path: Path, shot: Shot, seen: Mapping[Target, Box]) -> None:
    """Write the picture with its boxes, and its depth beside it."""
    colour = cv2.cvtColor(shot.colour, cv2.COLOR_RGB2BGR)
    for box in seen.values():
        corners = (int(box.x_min), int(box.y_min)), (int(box.x_max), int(box.y_max))
        cv2.rectangle(colour, *corners, (0, 255, 0), 1)
    height, width = colour.shape[:2]
    depth = cv2.applyColorMap(
        (np.clip(shot.view.depth / 5.0, 0.0, 1.0) * 255).astype(np.uint8), cv2.COLORMAP_JET
    )
    cv2.imwrite(str(path), np.hstack((colour, cv2.resize(depth, (width, height), interpolation=0))))
