"""Batches of a training run: batch number ``k`` is a function of the seed and ``k`` alone.

The position in the data is therefore one integer, and a resumed run draws what an uninterrupted one does.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Self

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader, Dataset

from openral_training.detector.augmentation import Augmentation, Size, training_view
from openral_training.detector.image_cache import DecodedImages, ImageView

AHEAD = 3
"""Batches prepared ahead of the one in use [count]."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Images with their objects, padded to the same number per image.

    ``pixels`` is uint8 (B, 3, H, W); ``boxes`` float32 (B, M, 4) [px]; ``classes`` int64 (B, M), -1 where
    there is no object; ``ignored`` float32 (B, K, 4), regions without area where there is none.
    """

    pixels: torch.Tensor
    boxes: torch.Tensor
    classes: torch.Tensor
    ignored: torch.Tensor

    def on(self, device: torch.device) -> Self:
        """Copy it to a device."""
        parts = (self.pixels, self.boxes, self.classes, self.ignored)
        return type(self)(*(part.to(device, non_blocking=True) for part in parts))


def collate(views: list[ImageView]) -> Batch:
    """Stack views of one size."""
    pixels = np.stack([view.pixels for view in views]).transpose(0, 3, 1, 2)
    objects = [view.objects.only(~view.objects.ignored) for view in views]
    regions = [view.objects.only(view.objects.ignored) for view in views]
    return Batch(
        torch.from_numpy(np.ascontiguousarray(pixels)),
        torch.from_numpy(_padded([each.boxes for each in objects], 0.0)),
        torch.from_numpy(_padded([each.classes for each in objects], -1)),
        torch.from_numpy(_padded([each.boxes for each in regions], 0.0)),
    )


def _padded(rows: list[NDArray[np.generic]], fill: float) -> NDArray[np.generic]:
    longest = max(1, *(len(each) for each in rows))
    result = np.full((len(rows), longest, *rows[0].shape[1:]), fill, rows[0].dtype)
    for target, each in zip(result, rows, strict=True):
        target[: len(each)] = each
    return result


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """Composition of the batches.

    Every ``full_every``-th batch shows whole images, so that large objects are seen whole, and has fewer of
    them; the others show windows. Sizes are (width, height) [px].
    """

    seed: int
    images: int
    window: Size
    full: Size
    window_batch: int
    full_batch: int
    full_every: int
    augmentation: Augmentation

    def is_full(self, number: int, plain: bool) -> bool:
        """Test if a batch shows whole images; without augmentation all do."""
        return plain or number % self.full_every == self.full_every - 1

    def views(self, number: int, plain: bool) -> int:
        """Count the images of a batch."""
        return self.full_batch if self.is_full(number, plain) else self.window_batch

    def index(self, position: int) -> int:
        """Return the image at a position of the endless stream: each epoch is a permutation."""
        epoch, place = divmod(position, self.images)
        return int(np.random.default_rng((self.seed, 0, epoch)).permutation(self.images)[place])


def draw_batch(cache: DecodedImages, plan: BatchPlan, number: int, position: int, plain: bool) -> Batch:
    """Draw one batch.

    Args:
        cache: The images.
        plan: Composition of the batches.
        number: Number of the batch.
        position: Images drawn before it [count].
        plain: Leave out all augmentation but mirroring.
    """
    size = plan.full if plan.is_full(number, plain) else plan.window
    settings = _mirrored_only() if plain else plan.augmentation
    if size == plan.full and not plain:
        low, high = settings.scale
        settings = replace(settings, scale=(max(low, 0.7), max(high, 1.2)), mosaic=settings.mosaic / 2)
    views = []
    for offset in range(plan.views(number, plain)):
        rng = np.random.default_rng((plan.seed, 1, position + offset))
        index = plan.index(position + offset)
        views.append(training_view(cache.view, index, plan.images, size, settings, rng))
    return collate(views)


def _mirrored_only() -> Augmentation:
    return Augmentation(scale=(1.0, 1.0), mosaic=0.0, whole=0.0, colour=0.0, noise=0.0, blur=0.0)


@dataclass(frozen=True, slots=True)
class DrawnBatches(Dataset[Batch]):
    """The batches by (number, images before it, without augmentation)."""

    cache: DecodedImages
    plan: BatchPlan

    def __getitem__(self, key: tuple[int, int, bool]) -> Batch:
        return draw_batch(self.cache, self.plan, *key)


class BatchStream:
    """Batches in order, prepared ahead; results do not depend on the timing of those who prepare them.

    Threads prepare them, or processes: a GPU uses more than threads of one process can draw.
    """

    def __init__(
        self,
        cache: DecodedImages,
        plan: BatchPlan,
        number: int,
        position: int,
        workers: int,
        *,
        in_processes: bool = False,
    ) -> None:
        self._drawn, self._plan, self._workers = DrawnBatches(cache, plan), plan, workers
        self._number, self._position = number, position
        self._pool = None if in_processes else ThreadPoolExecutor(workers, "batches")
        self._plain: bool | None = None
        self._batches: Iterator[Batch] = iter(())

    def next(self, plain: bool) -> Batch:
        """Return the next batch; a change of ``plain`` discards what was prepared."""
        if plain is not self._plain:
            self._plain, self._batches = plain, self._begun(plain)
        batch = next(self._batches)
        self._number += 1
        self._position += len(batch.pixels)
        return batch

    def _begun(self, plain: bool) -> Iterator[Batch]:
        if self._pool is not None:
            return self._by_threads(self._pool, self._keys(plain))
        loader = DataLoader(
            self._drawn,
            batch_size=None,
            sampler=self._keys(plain),
            num_workers=self._workers,
            worker_init_fn=_alone,
        )
        return iter(loader)

    def _by_threads(self, pool: ThreadPoolExecutor, keys: Iterator[tuple[int, int, bool]]) -> Iterator[Batch]:
        pending = deque[Future[Batch]]()
        try:
            while True:
                while len(pending) < AHEAD:
                    pending.append(pool.submit(self._drawn.__getitem__, next(keys)))
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def _keys(self, plain: bool) -> Iterator[tuple[int, int, bool]]:
        number, position = self._number, self._position
        while True:
            yield number, position, plain
            position += self._plan.views(number, plain)
            number += 1

    def close(self) -> None:
        """End the threads or processes."""
        self._batches = iter(())
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def _alone(_: int) -> None:
    """Leave the other cores to the other processes."""
    cv2.setNumThreads(0)
