"""Furniture from seeing: views of detectors' boxes and depth become pieces with a place, a size and a kind.

A piece is where the pixels of its boxes lie in map, in most of the images that see the place. What was seen
beside its boxes, or seen through, is not part of it; a piece that is looked at and not found fades.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from scipy.optimize import linear_sum_assignment

from openral_core.arrays import Vector3
from openral_mapping.furniture.fit import FloorRectangle, footprint_of, overlap
from openral_mapping.furniture.kinds import is_part
from openral_mapping.furniture.view import CONFIG, FurnitureConfig, FurnitureView, SeenImage, SeenPart
from openral_mapping.furniture.voxels import PieceVoxels


@dataclass
class FurnitureTrack:
    """A piece while it is being looked at.

    Attributes:
        id: Stays while it is seen, also after it was moved.
        evidence: That it exists; log-odds [1].
        kinds: Evidence per kind [1].
        views: Images that show it.
        born, last: Numbers of the first and the last of them.
        towards: Sum of unit vectors on the floor from the piece to the camera.
    """

    id: str
    born: int
    evidence: float = 0.0
    kinds: dict[str, float] = field(default_factory=dict)
    views: int = 0
    last: int = 0
    voxels: PieceVoxels = field(default_factory=PieceVoxels)
    towards: Vector3 = field(default_factory=lambda: np.zeros(2))
    _footprint: tuple[int, FloorRectangle | None] = (-1, None)

    @property
    def kind(self) -> str:
        """The likeliest kind."""
        return max(self.kinds, key=lambda kind: self.kinds[kind])

    @property
    def footprint(self) -> FloorRectangle | None:
        """Rectangle of its voxels on the floor; None while too little is seen."""
        if self._footprint[0] != self.views:
            self._footprint = self.views, footprint_of(self.voxels, self.towards, self.kind)
        return self._footprint[1]


class FurnitureMapper:
    """Pieces of furniture of a home, from views.

    Args:
        config: Thresholds.
        tracks: Pieces to begin with.
        images: Number of images that they are from [1].
        numbers: Highest number that a piece of a kind was given, by kind.
    """

    def __init__(
        self,
        config: FurnitureConfig = CONFIG,
        tracks: Iterable[FurnitureTrack] = (),
        images: int = 0,
        numbers: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.config, self.images, self.numbers = config, images, Counter(numbers)
        self._tracks = list(tracks)

    @property
    def every_track(self) -> tuple[FurnitureTrack, ...]:
        """All pieces, those that do not count yet among them."""
        return tuple(self._tracks)

    @property
    def tracks(self) -> list[FurnitureTrack]:
        """Pieces that count: seen in enough images, and not faded."""
        least = self.config
        return [t for t in self._tracks if t.evidence >= least.enough and t.views >= least.views]

    def update(self, view: FurnitureView) -> None:
        """Fold in one image: grow the pieces that it shows, fade those that should be in it and are not."""
        self.images += 1
        image = SeenImage.of(view, self.config)
        parts = [part for box in view.boxes if (part := image.part(box, self.config)) is not None]
        pairs = self._associate(parts)
        part_of = {track.id: part for part, track in pairs}
        for part, track in pairs:
            self._show(track, part, image)
        for track in self._tracks:
            self._contradict(track, image, part_of.get(track.id))
        self._merge([track for _, track in pairs])
        self._bury()

    def _associate(self, parts: list[SeenPart]) -> list[tuple[SeenPart, FurnitureTrack]]:
        """Pair each part of an image with the piece that it shows; a new one where there is none."""
        scores = np.array([[self._likeness(part, track) for track in self._tracks] for part in parts])
        scores = scores.reshape(len(parts), len(self._tracks))
        pairs, paired = [], set()
        for row, column in zip(*linear_sum_assignment(-scores), strict=True):
            if scores[row, column] > 0.0:
                pairs.append((parts[row], self._tracks[column]))
                paired.add(int(row))
        for row, part in enumerate(parts):
            if row not in paired:
                self.numbers[part.kind] += 1
                name = f"{part.kind.replace(' ', '_')}_{self.numbers[part.kind]}"
                self._tracks.append(FurnitureTrack(name, self.images))
                pairs.append((part, self._tracks[-1]))
        return pairs

    def _likeness(self, part: SeenPart, track: FurnitureTrack) -> float:
        """Overlap of a part with a piece, 0 if it is too small for one thing."""
        common = track.voxels.is_solid[track.voxels.indices(part.voxels.keys)].sum()
        overlap = common / max(min(len(part.voxels.keys), int(track.voxels.is_solid.sum())), 1)
        inside = track.footprint.share_of(part.points, 0.1, is_part(part.kind)) if track.footprint else 0.0
        is_same = part.kind == track.kind
        if not is_same and is_part(part.kind, track.kind):
            return 0.0
        likeness = float(max(overlap, inside) if is_same else 0.9 * min(overlap, inside))
        return likeness if likeness >= (self.config.same if is_same else self.config.other) else 0.0

    def _show(self, track: FurnitureTrack, part: SeenPart, image: SeenImage) -> None:
        gain = self.config.hit * part.score
        track.evidence = min(track.evidence + gain, self.config.most)
        track.kinds[part.kind] = track.kinds.get(part.kind, 0.0) + gain
        track.views, track.last = track.views + 1, self.images
        track.voxels.add(part.voxels)
        away = image.camera[:2] - np.median(part.points[:, :2], axis=0)
        track.towards += away / max(float(np.linalg.norm(away)), 1e-6)

    def _contradict(self, track: FurnitureTrack, image: SeenImage, part: SeenPart | None) -> None:
        """Count voxels that were seen through or beside the box, and a piece that was not found."""
        voxels = track.voxels
        beyond, hit = image.compare(voxels.means)
        wrong = beyond.copy()
        if part is not None:
            outside = voxels.indices(image.voxels.keys[~part.in_box])
            wrong[outside] = True
        voxels.contradict(wrong)
        if part is not None:
            return
        solid = voxels.is_solid
        visible, through = int(((hit | beyond) & solid).sum()), int((beyond & solid).sum())
        if visible < max(0.3 * int(solid.sum()), 10):
            return
        is_gone = through > 0.5 * visible
        track.evidence -= self.config.gone if is_gone else self.config.miss

    def _merge(self, touched: list[FurnitureTrack]) -> None:
        """Join pieces that turn out to be one."""
        for track in touched:
            for other in [t for t in self._tracks if t is not track]:
                if track not in self._tracks:
                    break
                a, b = track.footprint, other.footprint
                if a is None or b is None or overlap(a, b) < (0.5 if track.kind == other.kind else 0.75):
                    continue
                if is_part(track.kind, other.kind):
                    joins = track.kind == other.kind and a.is_level_with(b)
                else:
                    joins = a.stands_beside(b)
                if not joins:
                    continue
                older, newer = sorted((track, other), key=lambda t: (-t.views, t.born))
                older.voxels.add(newer.voxels)
                for kind, gain in newer.kinds.items():
                    older.kinds[kind] = older.kinds.get(kind, 0.0) + gain
                older.views += newer.views
                older.evidence = max(older.evidence, newer.evidence)
                older.towards, older.last = older.towards + newer.towards, max(older.last, newer.last)
                self._tracks.remove(newer)

    def _bury(self) -> None:
        """Forget pieces without evidence; a new one of the kind near by takes the name of one that moved."""
        for gone in [track for track in self._tracks if track.evidence <= 0.0]:
            self._tracks.remove(gone)
            if gone.footprint is None or gone.views < self.config.views:
                continue
            place = gone.footprint.centre
            heirs = [
                (float(np.linalg.norm(t.footprint.centre - place)), t)
                for t in self._tracks
                if t.kind == gone.kind and t.born > gone.last and t.footprint is not None
            ]
            distance, heir = min(heirs, key=lambda entry: entry[0], default=(np.inf, gone))
            if distance <= self.config.moved:
                heir.id = gone.id
