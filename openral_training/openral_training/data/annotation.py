"""Boxes of what a rendered image shows, and which share of each instance is visible."""

from dataclasses import asdict, dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import find_objects

from openral_core.arrays import Array, Points, Transform, Vector3
from openral_sim.rendering.renderer import HIDDEN_GROUPS
from openral_training.data.labels import HomeLabels

MIN_PIXELS = 24
"""Visible pixels of an instance in an image of 320 x 240 from which a detector must find it [px]."""
MIN_SHARE = 0.1
"""Visible share of an instance from which a detector must find it [-]."""
_REFERENCE_AREA = 320 * 240  # Pixels of the image that `MIN_PIXELS` refers to [px].
POINTS = 256
"""Points on the surface of an instance that its visible share is measured with [1]; resolves 0.4 %."""
_NEAR = 0.02
"""Distance in front of the camera from which a point can be in the image [m]."""


@dataclass(frozen=True)
class Annotation:
    """One box, of the visible pixels of one instance."""

    category_id: int  # Id of its category.
    bbox: tuple[float, float, float, float]  # Left edge, top edge, width and height [px].
    area: int  # Visible pixels [px].
    iscrowd: int  # 1 if it is to be ignored, as COCO's evaluation understands it.
    ignore: int  # The same.
    # Share of the instance that is visible, in [0, 1]; others or the image's edge may hide the rest.
    visible_share: float
    instance: int  # Number of the instance in its home.
    entity: str  # Id of the instance in its home.

    def record(self, image: int) -> dict[str, object]:
        """Return it as an entry of a COCO file, without its id."""
        return {"image_id": image, **asdict(self), "bbox": list(self.bbox)}


@dataclass(frozen=True)
class Pinhole:
    """Intrinsics of an image [px], and the pose of the optical frame in map, shape (4, 4)."""

    K: Array
    T_map_camera: Transform


class SurfaceSamples:
    """Points on the surfaces of all instances of a home, spread evenly over each instance."""

    def __init__(self, model: mujoco.MjModel, labels: HomeLabels, rng: np.random.Generator) -> None:
        rendered = ~np.isin(model.geom_group, HIDDEN_GROUPS) & (model.geom_rgba[:, 3] > 0)
        points, geoms = [], []
        for number in range(1, len(labels.instances) + 1):
            own = np.flatnonzero((labels.of_geom[:-1] == number) & rendered)
            areas = np.array([_surface(model, int(geom)) for geom in own])
            for geom, count in zip(own, np.ceil(POINTS * areas / areas.sum()).astype(int), strict=True):
                points.append(_sample(model, int(geom), int(count), rng))
                geoms.append(np.full(count, geom))
        self._points, self._geoms = np.vstack(points), np.concatenate(geoms)
        self._instance = labels.of_geom[self._geoms]

    def visible_shares(self, data: mujoco.MjData, camera: Pinhole, instances: NDArray[np.int32]) -> Array:
        """Return the visible share of every instance by its number; the share of number 0 is 0.

        A point of an instance that is projected into the instance's visible pixels is not hidden by another
        one, and what the instance hides of itself is no less visible for that.

        Args:
            data: State of the home.
            camera: Camera of the image.
            instances: Number of the instance seen in each pixel, shape (H, W).
        """
        rotation = data.geom_xmat[self._geoms].reshape(-1, 3, 3)
        in_map = np.einsum("nij,nj->ni", rotation, self._points) + data.geom_xpos[self._geoms]
        local = (in_map - camera.T_map_camera[:3, 3]) @ camera.T_map_camera[:3, :3]
        ahead = local[:, 2] > _NEAR
        pixels = np.rint((local[ahead] / local[ahead, 2:]) @ camera.K.T)[:, :2].astype(int)
        height, width = instances.shape
        inside = ((pixels >= 0) & (pixels < (width, height))).all(axis=1)
        own = self._instance[ahead][inside]
        u, v = pixels[inside].T
        visible = np.zeros(len(own), dtype=bool)
        # A point on an outline may be rounded into the pixel beside it.
        for dv, du in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)):
            visible |= instances[np.clip(v + dv, 0, height - 1), np.clip(u + du, 0, width - 1)] == own
        size = int(self._instance.max()) + 1
        total = np.bincount(self._instance, minlength=size)
        shares: Array = np.bincount(own[visible], minlength=size) / np.maximum(total, 1)
        return shares


def annotate(instances: NDArray[np.int32], shares: Array, labels: HomeLabels) -> list[Annotation]:
    """Annotate every instance in an image; small and mostly hidden ones are marked to be ignored.

    Args:
        instances: Number of the instance seen in each pixel, 0 for none, shape (H, W).
        shares: Visible share by the number of the instance.
        labels: Instances of the home.
    """
    least = MIN_PIXELS * instances.size / _REFERENCE_AREA
    counts = np.bincount(instances.ravel(), minlength=len(labels.instances) + 1)
    annotations = []
    for number, box in enumerate(find_objects(instances), start=1):
        if box is None:
            continue
        rows, columns = box
        instance = labels.instances[number - 1]
        share = round(float(shares[number]), 3)
        ignored = int(instance.ignored or counts[number] < least or share < MIN_SHARE)
        annotations.append(
            Annotation(
                category_id=instance.category.id,
                bbox=(
                    float(columns.start),
                    float(rows.start),
                    float(columns.stop - columns.start),
                    float(rows.stop - rows.start),
                ),
                area=int(counts[number]),
                iscrowd=ignored,
                ignore=ignored,
                visible_share=share,
                instance=number,
                entity=instance.entity,
            )
        )
    return annotations


def _surface(model: mujoco.MjModel, geom: int) -> float:
    """Return the surface of a geom's bounding box [m^2]: weights, not measurements."""
    x, y, z = model.geom_aabb[geom, 3:]
    return float(8 * (x * y + y * z + z * x))


def _sample(model: mujoco.MjModel, geom: int, count: int, rng: np.random.Generator) -> Points:
    """Sample points of a geom's surface in its frame, shape (count, 3)."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH.value:
        return _on_mesh(model, int(model.geom_dataid[geom]), count, rng)
    if kind == mujoco.mjtGeom.mjGEOM_BOX.value:
        return _on_box(size, count, rng)
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID.value:
        return np.asarray(directions * size)
    # Cylinders and capsules are long: their caps hardly count.
    round_part = directions[:, :2] / np.linalg.norm(directions[:, :2], axis=1, keepdims=True)
    return np.column_stack([round_part * size[0], rng.uniform(-size[1], size[1], count)])


def _on_box(half: Vector3, count: int, rng: np.random.Generator) -> Points:
    faces = np.array([half[1] * half[2], half[0] * half[2], half[0] * half[1]])
    axis = rng.choice(3, count, p=faces / faces.sum())
    points = rng.uniform(-1.0, 1.0, (count, 3))
    points[np.arange(count), axis] = rng.choice((-1.0, 1.0), count)
    return np.asarray(points * half)


def _on_mesh(model: mujoco.MjModel, mesh: int, count: int, rng: np.random.Generator) -> Points:
    first, number = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + number].astype(float)
    begin, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    a, b, c = (vertices[corner] for corner in model.mesh_face[begin : begin + faces].T)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = rng.choice(faces, count, p=areas / areas.sum())
    u, v = rng.random((2, count, 1))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    return np.asarray(a[chosen] + u * (b[chosen] - a[chosen]) + v * (c[chosen] - a[chosen]))
