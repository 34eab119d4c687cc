"""A training run: batches, steps, evaluations and checkpoints, until its hours or views are used."""

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from openral_core.errors import OpenRALError
from openral_core.files import replace_file
from openral_training.detector.augmentation import Augmentation
from openral_training.detector.batches import Batch, BatchPlan, BatchStream
from openral_training.detector.checkpoints import initial_weights, read_checkpoint
from openral_training.detector.coco import NotCoco, read_split
from openral_training.detector.curves import draw_curves
from openral_training.detector.evaluation import Evaluation, evaluate
from openral_training.detector.image_cache import DecodedImages, open_cache
from openral_training.detector.losses import Assignment, detection_loss
from openral_training.detector.muon import computes_in_bfloat16
from openral_training.detector.network import anchor_points
from openral_training.detector.options import TrainingOptions
from openral_training.detector.prediction import detect_all, input_size, predictor
from openral_training.detector.run_state import RunState
from openral_training.detector.splits import CocoSplit, trained_labels

LAST, BEST, METRICS, CURVES = "last.pt", "best.pt", "metrics.json", "curves.png"
CLIPPED = 10.0
"""Largest norm of a gradient [1]; DETR-family trainings use less, YOLO-family ones 10."""
LOADING_THREADS = 2
"""Threads that prepare batches where the network computes on the same cores [count]."""
REPORT_EVERY = 10.0
"""Time between two lines of progress [s]."""
Say = Callable[[str], None]
Stopped = Callable[[], bool]


class RunExists(OpenRALError):
    """A folder that holds a run already."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds a run already: go on with --resume, or name another folder with --out"
        )


class NothingToResume(OpenRALError):
    """A folder without a run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds no checkpoint to go on from: leave out --resume to begin a run there"
        )


class Diverged(OpenRALError):
    """A loss that is not finite."""

    def __init__(self, folder: Path, batch: int) -> None:
        super().__init__(
            f"the loss of batch {batch} is not finite; {folder / LAST} holds the state before: resume "
            "with --fp32, or begin again with a lower --learning-rate"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Images of both splits and what identifies them."""

    training: DecodedImages
    validation: DecodedImages
    labels: tuple[str, ...]
    digest: str


def load_data(options: TrainingOptions, say: Say) -> TrainingData:
    """Read and decode both splits.

    Raises:
        NotCoco: If the folder is not a data set in COCO format, or has no object to learn from.
        ClassesDiffer: If the validation split lacks classes of the training split.
        UnreadableImage, CacheNotWritten: See `open_cache`.
    """
    training, validation = read_split(options.data, "train"), read_split(options.data, "val")
    labels = tuple(trained_labels(training))
    if not labels:
        raise NotCoco(training.file, "no image has an object that is not ignored")
    labels = training.labels if options.all_classes else labels
    training, validation = (part.relabelled(labels, str(training.file)) for part in (training, validation))
    caches = []
    for name, part in (("train", training), ("val", validation)):
        say(f"{name}: {len(part.images)} images, {part.counts().sum()} objects of {len(labels)} classes")
        file = options.cache_folder / f"{name}.u8"
        caches.append(open_cache(file, part.images, options.image_size, _decoding(name, say)))
    return TrainingData(caches[0], caches[1], labels, digest_of(training))


def _decoding(name: str, say: Say) -> Callable[[int, int], None]:
    return lambda count, total: say(f"{name}: decoded {count} of {total}") if count % 1024 < 64 else None


def digest_of(split: CocoSplit) -> str:
    """Return a digest of a split's images and objects, in order."""
    digest = hashlib.sha256(json.dumps(split.labels).encode())
    for image in split.images:
        digest.update(f"{image.file.name} {image.size}".encode())
        for part in (image.objects.boxes, image.objects.classes, image.objects.ignored):
            digest.update(part.tobytes())
    return digest.hexdigest()


def chosen_device(name: str) -> torch.device:
    """Return the device of a name; ``auto`` is a GPU where there is one."""
    return torch.device(("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name)


class TrainingRun:
    """A run that can be stopped between any two batches and gone on with.

    Args:
        options: Its options.
        data: Its data.
        say: Receives lines of progress.
    """

    def __init__(self, options: TrainingOptions, data: TrainingData, say: Say) -> None:
        self.options, self.data, self._say = options, data, say
        torch.set_num_threads(options.threads)
        self.device = chosen_device(options.device)
        torch.use_deterministic_algorithms(mode=self.device.type == "cpu", warn_only=True)
        self._in_bfloat16 = computes_in_bfloat16(self.device) if options.bf16 is None else options.bf16
        self.state = RunState(options, data.labels, data.digest, self.device)
        self._begin()
        self._saved = self._reported = time.monotonic()

    def _begin(self) -> None:
        options, last = self.options, self.options.out / LAST
        if options.resume:
            if not last.is_file():
                raise NothingToResume(options.out)
            self.state.restore(read_checkpoint(last))
            self._say(f"going on after {self.state.position.views} views")
            return
        if last.exists():
            raise RunExists(options.out)
        if options.init is not None:
            weights = initial_weights(
                options.init, options.architecture, self.data.labels, options.new_classes
            )
            self.state.network.load_state_dict(weights)
            self.state.average.load_state_dict(weights)

    @property
    def plan(self) -> BatchPlan:
        """Composition of the batches."""
        options = self.options
        return BatchPlan(
            seed=options.seed,
            images=len(self.data.training),
            window=options.window,
            full=input_size(options.image_size),
            window_batch=options.batch,
            full_batch=options.full_batch,
            full_every=options.full_every,
            augmentation=Augmentation(),
        )

    def run(self, stopped: Stopped) -> bool:
        """Train until the end; return False if ``stopped`` ended it before. The state is saved either way."""
        position = self.state.position
        stream = self._stream()
        try:
            while self.state.progress < 1.0 and not self._is_stale():
                if stopped():
                    self.save()
                    return False
                begun = time.monotonic()
                self._step(stream.next(self.state.plain))
                position.seconds += time.monotonic() - begun
                self._after_step()
        finally:
            stream.close()
        if not position.history or position.history[-1]["views"] != position.views:
            self.evaluate()
        self.save()
        return True

    def _stream(self) -> BatchStream:
        where = (self.data.training, self.plan, self.state.position.batches, self.state.position.views)
        if self.device.type == "cpu":
            return BatchStream(*where, LOADING_THREADS)
        processes = self.options.loaders or max(1, (os.cpu_count() or 1) - 1)
        return BatchStream(*where, processes, in_processes=True)

    def _is_stale(self) -> bool:
        """Test if the last evaluations brought no gain; the end without augmentation is always run."""
        position = self.state.position
        return not self.state.plain and position.evaluations - position.best_at >= self.options.patience

    def _step(self, batch: Batch) -> None:
        state, position = self.state, self.state.position
        state.network.train()
        state.set_rate()
        moved = batch.on(self.device)
        pixels = moved.pixels.float().div_(255.0).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._in_bfloat16):
            logits, boxes = state.network(pixels)
        points, _ = anchor_points(pixels.shape[-2], pixels.shape[-1], self.device)
        losses = detection_loss(logits, boxes, points, moved, Assignment())
        if not torch.isfinite(losses.total):
            raise Diverged(self.options.out, position.batches)
        state.network.zero_grad(set_to_none=True)
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), CLIPPED)
        state.optimiser.step()
        state.update_average()
        position.batches += 1
        position.views += len(batch.pixels)
        self._report(losses.classification, losses.box)

    def _report(self, classification: float, box: float) -> None:
        now, position = time.monotonic(), self.state.position
        if now - self._reported < REPORT_EVERY:
            return
        self._reported = now
        rate = position.views / max(position.seconds, 1e-9)
        self._say(
            f"{100 * self.state.progress:5.1f} %  {position.views} views  {position.seconds / 60:.1f} min  "
            f"{rate:.1f} views/s  classes {classification:.3f}  boxes {box:.3f}"
        )

    def _after_step(self) -> None:
        due = int(self.state.progress * self.options.evaluations)
        if due > self.state.position.evaluations:
            self.evaluate()
            self.state.position.evaluations = due
            self.save()
        elif time.monotonic() - self._saved >= self.options.save_every:
            self.save()

    def evaluate(self) -> Evaluation:
        """Evaluate the averaged weights on the validation split; keep them if they are the best so far."""
        position, cache = self.state.position, self.data.validation
        step = max(1, -(-len(cache) // self.options.evaluated_images))
        indices = list(range(0, len(cache), step))
        detections = detect_all(predictor(self.state.average, str(self.device)), cache, indices)
        result = evaluate(detections, [cache.view(index).objects for index in indices], self.data.labels)
        entry = {"views": position.views, "minutes": position.seconds / 60, "ap": result.ap}
        entry |= {"ap50": result.ap50, "ap_small": result.ap_small, "recall": result.recall}
        position.history.append({key: round(float(value), 4) for key, value in entry.items()})
        self._say(
            f"validation after {position.views} views, {position.seconds / 60:.1f} min: "
            f"AP50 {result.ap50:.3f}  "
            f"AP {result.ap:.3f}  small {result.ap_small:.3f}  recall {result.recall:.2f}"
        )
        if result.ap50 > position.best:
            position.best, position.best_at = result.ap50, int(self.state.progress * self.options.evaluations)
            self.state.checkpoint(self._facts(result), complete=False).save(self.options.out / BEST)
        replace_file(self.options.out / METRICS, json.dumps(position.history, indent=1))
        draw_curves(position.history, self.options.out / CURVES)
        return result

    def _facts(self, result: Evaluation | None) -> dict[str, object]:
        position = self.state.position
        return {
            "views": position.views,
            "hours": position.seconds / 3600,
            "images": len(self.data.training),
            "data": self.data.digest,
            "options": self.options.fixed(),
            "validation": json.loads(json.dumps(asdict(result))) if result else None,
        }

    def save(self) -> None:
        """Write the checkpoint from which the run can go on."""
        self.state.checkpoint(self._facts(None), complete=True).save(self.options.out / LAST)
        self._saved = time.monotonic()
