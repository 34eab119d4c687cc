"""Ranks and relations of detected objects, decided by their boxes and, where the camera has it, by depth.

Every test has three outcomes: what geometry does not decide is said to be unclear, never guessed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.text import Rank, ReferringExpression, SpatialRelation

FOCAL = 0.71
"""Focal length relative to the width of the image [1]: 70 degrees; only nearness depends on it."""
NEAR = (0.25, 0.6)
"""Bounds of the gap up to which objects are next to each other [m]; between them 3/4 of the larger one."""
NEAR_IN_IMAGE = 0.75
"""The same without depth, relative to the mean size of both boxes [1]."""
UNCLEAR_NEAR = 2.0
"""Factor of these gaps up to which nearness is unclear [1]."""
CLOSER = 0.7
"""Largest gap of the closest object relative to that of the next one [1]."""
DEPTH_MARGIN = (0.08, 0.02)
"""Least difference of depths that orders two objects: constant [m], and growth with the distance [1]."""
SIZE_MARGIN = 1.2
"""Least ratio of the sides of two objects of different size [1]: boxes are some 6 % wrong on each edge."""
INSIDE = 0.85
"""Share of an object's box in that of the anchor from which it is inside [1]."""
TOP, BOTTOM = 0.7, 0.55
"""Heights in the anchor's box, from its top: what stands above the first is on it, below the second under."""
SAME_PLACE = 0.35
"""Difference of depths [m] of touching objects, beyond three quarters of the anchor's width."""

NEED_DEPTH = frozenset(
    (
        SpatialRelation.BEHIND,
        SpatialRelation.IN_FRONT_OF,
        Rank.LARGEST,
        Rank.SMALLEST,
        Rank.NEAREST,
        Rank.FARTHEST,
    )
)
"""What boxes alone cannot decide: a near object looks larger."""


class Ternary(Enum):
    """Outcome of a test."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


def ternary(yes: bool, unclear: bool) -> Ternary:
    """Return YES, else UNCLEAR, else NO."""
    return Ternary.YES if yes else Ternary.UNCLEAR if unclear else Ternary.NO


@dataclass(frozen=True, slots=True)
class DepthDetection:
    """A detection with its depth [m], None if unknown; ``columns`` of the depth image [px], 0 without one."""

    detection: Detection
    depth: float | None
    columns: int = 0

    @property
    def box(self) -> Box:
        """Its box [px]."""
        return self.detection.box

    def metric(self) -> tuple[NDArray[np.float64], float] | None:
        """Return the centre in the optical frame and the longer side [m]; all centres share a shift."""
        if self.depth is None:
            return None
        scale = self.depth / (FOCAL * self.columns)
        side = max(self.box.width, self.box.height) * scale
        x, y = self.box.center
        return np.array([(x - self.columns / 2) * scale, y * scale, self.depth + side / 2]), side


def with_depth(detections: Sequence[Detection], depth: NDArray[np.float32] | None) -> list[DepthDetection]:
    """Add the depth of each object, that of the nearer quarter of its inner half.

    Args:
        detections: Any number.
        depth: Depth image [m], 0 or NaN where unknown, shape (H, W); None without depth camera.
    """
    if depth is None:
        return [DepthDetection(detection, None) for detection in detections]
    return [
        DepthDetection(detection, _depth_in(detection.box, depth), depth.shape[1]) for detection in detections
    ]


def _depth_in(box: Box, depth: NDArray[np.float32]) -> float | None:
    (x, y), (height, width) = box.center, depth.shape
    x_min, x_max = (int(np.clip(x + sign * box.width / 4, 0, width - 1)) for sign in (-1, 1))
    y_min, y_max = (int(np.clip(y + sign * box.height / 4, 0, height - 1)) for sign in (-1, 1))
    part = depth[y_min : y_max + 1, x_min : x_max + 1]
    ranges = part[np.isfinite(part) & (part > 0)]
    return float(np.percentile(ranges, 25)) if ranges.size else None


@dataclass(frozen=True, slots=True)
class Grounding:
    """Objects that satisfy a phrase, best score first; ``unclear`` says what geometry did not decide."""

    detections: tuple[Detection, ...] = ()
    unclear: str = ""


def ground_reference(
    reference: ReferringExpression,
    parts: Mapping[str, Sequence[Detection]],
    depth: NDArray[np.float32] | None,
) -> Grounding:
    """Select the objects of a referring expression.

    Args:
        parts: The detections of each of its parts.
        depth: See `with_depth`.
    """
    targets = with_depth(parts[reference.target], depth)
    unclear: list[DepthDetection] = []
    if reference.relation is not None:
        anchors = with_depth(parts[reference.anchor], depth)
        outcomes = [_related(reference.relation, target, targets, anchors) for target in targets]
        unclear = [
            each for each, outcome in zip(targets, outcomes, strict=True) if outcome is Ternary.UNCLEAR
        ]
        targets = [each for each, outcome in zip(targets, outcomes, strict=True) if outcome is Ternary.YES]
        if unclear and (not targets or reference.rank):
            count = f"{len(unclear)} x {reference.target!r}"
            return Grounding((), f"{count} may be {reference.relation} the {reference.anchor}, or not")
    if reference.rank is None or not targets:
        return Grounding(tuple(each.detection for each in targets))
    chosen = _ranked(reference.rank, targets)
    if chosen is None:
        return Grounding(
            (), f"of {len(targets)} x {reference.target!r}, none is clearly the {reference.rank}"
        )
    return Grounding((chosen.detection,))


def _related(
    relation: SpatialRelation,
    target: DepthDetection,
    targets: Sequence[DepthDetection],
    anchors: Sequence[DepthDetection],
) -> Ternary:
    """Test a relation to any of several anchors; they must agree where the anchor's side matters."""
    others = [anchor for anchor in anchors if anchor.detection.box != target.detection.box]
    if relation is SpatialRelation.CLOSEST_TO:
        return _closest(target, targets, others)
    outcomes = {_TESTS[relation](target, anchor) for anchor in others}
    if relation in _SIDED and len(outcomes) > 1:
        return Ternary.UNCLEAR
    return ternary(Ternary.YES in outcomes, Ternary.UNCLEAR in outcomes)


def gap(first: DepthDetection, second: DepthDetection) -> float | None:
    """Return the gap between two objects relative to what counts as near [1]; None if depth is missing."""
    if not (first.columns or second.columns):
        return _gap_in_image(first.box, second.box)
    one, other = first.metric(), second.metric()
    if one is None or other is None:
        return None
    distance = float(np.linalg.norm(one[0] - other[0])) - (one[1] + other[1]) / 2
    return max(0.0, distance) / float(np.clip(0.75 * max(one[1], other[1]), *NEAR))


def _gap_in_image(first: Box, second: Box) -> float:
    unit = (max(first.width, first.height) + max(second.width, second.height)) / 2
    aside = max(0.0, max(first.x_min, second.x_min) - min(first.x_max, second.x_max))
    apart = max(0.0, abs(first.y_max - second.y_max) - unit / 4)
    return float(np.hypot(aside, apart)) / unit / NEAR_IN_IMAGE


def _closest(
    target: DepthDetection, targets: Sequence[DepthDetection], anchors: Sequence[DepthDetection]
) -> Ternary:
    if not anchors:
        return Ternary.NO
    own = gap(target, anchors[0])
    others = [gap(each, anchors[0]) for each in targets if each is not target and each.box != anchors[0].box]
    if len(anchors) > 1 or own is None or None in others:
        return Ternary.UNCLEAR
    nearest = min((each for each in others if each is not None), default=np.inf)
    return ternary(own < CLOSER * nearest, own * CLOSER <= nearest)


def _next_to(target: DepthDetection, anchor: DepthDetection) -> Ternary:
    if max(_share(target.box, anchor.box), _share(anchor.box, target.box)) >= INSIDE:
        return Ternary.NO
    near = gap(target, anchor)
    return Ternary.UNCLEAR if near is None else ternary(near <= 1.0, near <= UNCLEAR_NEAR)


def _aside(sign: int, target: DepthDetection, anchor: DepthDetection) -> Ternary:
    """Test if the target is to the left (``sign`` 1) or right (-1) of the anchor."""
    own, other = target.box, anchor.box
    edge = other.x_min if sign > 0 else other.x_max
    inner = own.x_max if sign > 0 else own.x_min
    clear = sign * (edge - own.center[0]) > 0 and sign * (other.center[0] - inner) > 0
    return ternary(clear, sign * (other.center[0] - own.center[0]) > 0)


def _deeper(sign: int, target: DepthDetection, anchor: DepthDetection) -> Ternary:
    """Test if the target is behind (``sign`` 1) or in front of (-1) the anchor."""
    own, other = target.box, anchor.box
    aside = max(own.x_min, other.x_min) - min(own.x_max, other.x_max)
    if aside > (own.width + other.width) / 4:
        return Ternary.NO
    if target.depth is None or anchor.depth is None:
        return Ternary.UNCLEAR
    margin = DEPTH_MARGIN[0] + DEPTH_MARGIN[1] * anchor.depth
    difference = sign * (target.depth - anchor.depth)
    return ternary(difference > margin, difference > 0.0)


def _on(target: DepthDetection, anchor: DepthDetection) -> Ternary:
    own, other = target.box, anchor.box
    height = (own.y_max - other.y_min) / other.height
    if not (other.x_min <= own.center[0] <= other.x_max and other.width > own.width and 0 < height <= 1):
        return Ternary.NO
    place = _same_place(target, anchor)
    return ternary(place and height <= TOP, place)


def _in(target: DepthDetection, anchor: DepthDetection) -> Ternary:
    share = _share(target.box, anchor.box)
    place = _same_place(target, anchor)
    return ternary(place and share >= INSIDE, place and share >= INSIDE / 2)


def _under(target: DepthDetection, anchor: DepthDetection) -> Ternary:
    own, other = target.box, anchor.box
    if not other.x_min <= own.center[0] <= other.x_max or own.center[1] < other.center[1]:
        return Ternary.NO
    place = _same_place(target, anchor)
    return ternary(place and own.y_min > other.y_min + BOTTOM * other.height, place)


def _above(target: DepthDetection, anchor: DepthDetection) -> Ternary:
    own, other = target.box, anchor.box
    aligned = other.x_min <= own.center[0] <= other.x_max or own.x_min <= other.center[0] <= own.x_max
    return ternary(aligned and own.y_max <= other.y_min, aligned and own.center[1] < other.y_min)


def _same_place(target: DepthDetection, anchor: DepthDetection) -> bool:
    """Test if depth allows that two objects touch; True without depth."""
    metric = anchor.metric()
    if target.depth is None or metric is None or anchor.depth is None:
        return True
    return abs(target.depth - anchor.depth) <= SAME_PLACE + 0.75 * metric[1]


def _share(inner: Box, outer: Box) -> float:
    """Return the share of a box that lies in another."""
    return inner.intersection(outer) / inner.area


_TESTS: Mapping[SpatialRelation, Callable[[DepthDetection, DepthDetection], Ternary]] = MappingProxyType(
    {
        SpatialRelation.NEXT_TO: _next_to,
        SpatialRelation.LEFT_OF: partial(_aside, 1),
        SpatialRelation.RIGHT_OF: partial(_aside, -1),
        SpatialRelation.BEHIND: partial(_deeper, 1),
        SpatialRelation.IN_FRONT_OF: partial(_deeper, -1),
        SpatialRelation.ON: _on,
        SpatialRelation.IN: _in,
        SpatialRelation.UNDER: _under,
        SpatialRelation.ABOVE: _above,
    }
)
_SIDED = (
    SpatialRelation.LEFT_OF,
    SpatialRelation.RIGHT_OF,
    SpatialRelation.BEHIND,
    SpatialRelation.IN_FRONT_OF,
)


def _ranked(rank: Rank, targets: Sequence[DepthDetection]) -> DepthDetection | None:
    """Return the object with a rank; None if it is not clear which."""
    if len(targets) == 1:  # the phrase says that there are others, which may look nearer, but not larger
        return targets[0] if rank in (Rank.NEAREST, Rank.FARTHEST) else None
    key, clear = _ORDERS[rank]
    if any(key(each) is None for each in targets):
        return None
    first, second = sorted(targets, key=lambda each: key(each) or 0.0)[:2]
    return first if clear(first, second) else None


def _size(sign: int, target: DepthDetection) -> float | None:
    """Return the logarithm of the size; None at the edge of the image, where a part of it is cut off."""
    metric = target.metric()
    if metric is None or target.box.x_min < 2 or target.box.x_max > target.columns - 2:
        return None
    scale = (target.depth or 0.0) / (FOCAL * target.columns)
    return sign * float(np.log(np.sqrt(target.box.width * target.box.height) * scale))


def _differ_in_size(first: DepthDetection, second: DepthDetection) -> bool:
    one, other = _size(1, first), _size(1, second)
    return one is not None and other is not None and abs(one - other) >= np.log(SIZE_MARGIN)


def _differ_in_depth(first: DepthDetection, second: DepthDetection) -> bool:
    near, far = sorted((first.depth or 0.0, second.depth or 0.0))
    return far - near > DEPTH_MARGIN[0] + DEPTH_MARGIN[1] * near


def _differ_aside(first: DepthDetection, second: DepthDetection) -> bool:
    distance = abs(first.box.center[0] - second.box.center[0])
    return distance > (first.box.width + second.box.width) / 4


_Order = tuple[Callable[[DepthDetection], float | None], Callable[[DepthDetection, DepthDetection], bool]]
_ORDERS: Mapping[Rank, _Order] = MappingProxyType(
    {
        Rank.LARGEST: (partial(_size, -1), _differ_in_size),
        Rank.SMALLEST: (partial(_size, 1), _differ_in_size),
        Rank.LEFTMOST: (lambda each: each.box.center[0], _differ_aside),
        Rank.RIGHTMOST: (lambda each: -each.box.center[0], _differ_aside),
        Rank.NEAREST: (lambda each: each.depth, _differ_in_depth),
        Rank.FARTHEST: (lambda each: None if each.depth is None else -each.depth, _differ_in_depth),
    }
)
"""Order of each rank, first the object that has it, and the test that the first two differ."""
