"""Shapes of a robot description, for drawing: boxes, cylinders and spheres of its links."""

from collections.abc import Iterator
from math import isfinite
from xml.etree import ElementTree as ET

from scipy.spatial.transform import Rotation

from openral_console.sections import Json, numbers

MAX_TEXT = 2_000_000
"""Longest robot description that is read [characters]."""
MAX_SHAPES = 300
"""Most shapes that a page draws."""
PARTS = ("visual", "collision")
"""Parts of a link by preference; a mesh is drawable as the collision shapes of its link."""


def shapes(text: str) -> list[dict[str, Json]]:
    """Return the shapes of a URDF: frame, kind, size of the box around it [m], position [m] and quaternion.

    What cannot be read has no shapes.
    """
    if len(text) > MAX_TEXT or "<!" in text.replace("<!--", ""):  # entities could expand without bound
        return []
    try:
        robot = ET.fromstring(text)
    except ET.ParseError:
        return []
    drawable = [shape for link in robot.iter("link") for shape in _shapes_of(link)]
    return drawable[:MAX_SHAPES]


def _shapes_of(link: ET.Element) -> list[dict[str, Json]]:
    """Return the shapes of the first kind of part that has any."""
    for part in PARTS:
        drawable = [shape for each in link.findall(part) for shape in _drawable(each)]
        if drawable:
            return [{"frame": link.get("name", "")[:200], **shape} for shape in drawable]
    return []


def _drawable(part: ET.Element) -> Iterator[dict[str, Json]]:
    geometry, origin = part.find("geometry"), part.find("origin")
    for shape in geometry if geometry is not None else ():
        size = _size(shape)
        if size is None or not all(isfinite(side) and 0.0 < side < 100.0 for side in size):
            continue
        place = _floats(origin.get("xyz", "0 0 0") if origin is not None else "0 0 0")
        turn = _floats(origin.get("rpy", "0 0 0") if origin is not None else "0 0 0")
        if len(place) == len(turn) == 3 and all(map(isfinite, (*place, *turn))):
            yield {
                "kind": shape.tag,
                "size": numbers(size),
                "position": numbers(place),
                "rotation": numbers(quaternion(*turn), 5),
            }


def _size(shape: ET.Element) -> list[float] | None:
    if shape.tag == "box":
        sides = _floats(shape.get("size", ""))
        return sides if len(sides) == 3 else None
    radius, length = _floats(shape.get("radius", "")), _floats(shape.get("length", ""))
    if shape.tag == "cylinder" and len(radius) == len(length) == 1:
        return [2.0 * radius[0], 2.0 * radius[0], length[0]]
    return [2.0 * radius[0]] * 3 if shape.tag == "sphere" and len(radius) == 1 else None


def _floats(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split()[:4]]
    except ValueError:
        return []


def quaternion(roll: float, pitch: float, yaw: float) -> list[float]:
    """Return the rotation x, y, z, w of URDF's fixed-axis angles [rad]."""
    return list(Rotation.from_euler("xyz", (roll, pitch, yaw)).as_quat())
