"""Options of a training run, fixed when it begins and kept in its folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from openral_core.documents import Document, parse_document, read_json
from openral_training.detector.defaults import TAUGHT_VIEWS

OPTIONS_FILE = "options.json"
COMMAND = "openral train detector"


class TrainingOptions(Document):
    """Options of `openral train detector`; a resumed run keeps those it began with.

    Either ``hours`` of training or ``views`` of images end the run. Sizes are (width, height) [px].
    """

    data: Path
    out: Path
    hours: float | None = Field(default=None, gt=0.0)
    views: int | None = Field(default=None, gt=0)
    architecture: str = "tiny"
    image_size: tuple[int, int] = (640, 480)
    window: tuple[int, int] = (320, 256)
    batch: int = Field(default=8, ge=1)
    full_batch: int = Field(default=4, ge=1)
    full_every: int = Field(default=4, ge=1, description="every n-th batch shows whole images")
    learning_rate: float = Field(default=2e-3, gt=0.0)
    weight_decay: float = Field(default=0.02, ge=0.0)
    head_rate: float | None = Field(default=None, gt=0.0, description="of the classes' layer; else as others")
    kernel_rate: float = Field(default=2e-2, gt=0.0, description="learning rate of Muon")
    kernel_decay: float = Field(default=0.1, ge=0.0, description="weight decay of Muon")
    averaging: float = Field(default=0.9995, ge=0.0, lt=1.0)
    plain_share: float = Field(default=0.12, ge=0.0, lt=1.0)
    seed: int = Field(default=0, ge=0)
    threads: int = Field(default=2, ge=1)
    loaders: int | None = Field(default=None, ge=1, description="processes that draw batches for a GPU")
    device: str = "auto"
    bf16: bool | None = Field(default=None, description="None: if the device has bfloat16 in hardware")
    init: Path | None = None
    new_classes: bool = False
    new_data: bool = False
    all_classes: bool = Field(default=False, description="keep classes without objects in the data")
    cache: Path | None = None
    evaluations: int = Field(default=20, ge=1)
    evaluated_images: int = Field(default=300, ge=1)
    patience: int = Field(default=10, ge=1)
    save_every: float = Field(default=60.0, ge=0.0)
    resume: bool = False

    @model_validator(mode="after")
    def _one_end(self) -> Self:
        if (self.hours is None) == (self.views is None):
            raise ValueError("give either hours or views")
        if any(side % 32 for side in self.window):
            raise ValueError("both sides of window must be multiples of 32")
        return self

    @property
    def cache_folder(self) -> Path:
        """Folder of the decoded images."""
        return self.cache or self.out / "cache"

    def fixed(self) -> dict[str, object]:
        """Return the options that must be the same when a run goes on, and those that describe it."""
        free = {
            "resume",
            "data",
            "init",
            "new_classes",
            "new_data",
            "all_classes",
            "evaluations",
            "evaluated_images",
            "hours",
            "views",
            "out",
            "threads",
            "loaders",
            "cache",
            "patience",
            "save_every",
            "device",
        }
        return self.model_dump(mode="json", exclude=free)


class EvaluationOptions(Document):
    """Options of `openral train evaluate`."""

    run: Path
    data: Path
    split: str = "test"
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    save: Path | None = None
    cache: Path | None = None


class ExportOptions(Document):
    """Options of `openral train export`; ``size`` is (width, height) of the input [px]."""

    run: Path
    data: Path
    out: Path
    size: tuple[int, int] | None = None
    licence: str = "Apache-2.0"
    quantise: bool = False
    cache: Path | None = None


class TeachingOptions(Document):
    """Options of `openral teach fit`; only the classes' layer, whose new rows are random, learns fast."""

    lesson: Path
    init: Path
    out: Path
    replay: Path | None = None
    views: int = Field(default=TAUGHT_VIEWS, ge=1)
    learning_rate: float = Field(default=6e-4, gt=0.0)
    head_rate: float = Field(default=8e-3, gt=0.0)
    kernel_rate: float = Field(default=6e-4, gt=0.0)
    blend: float = Field(default=0.7, gt=0.0, le=1.0, description="share of the learned weights")
    seed: int = Field(default=0, ge=0)
    threads: int = Field(default=2, ge=1)
    licence: str = "Apache-2.0"


def cache_of(run: Path, cache: Path | None) -> Path:
    """Return the folder of decoded images for a run or one of its checkpoints."""
    return cache or (run if run.is_dir() else run.parent) / "cache"


def stored_options(out: Path) -> dict[str, object]:
    """Return the options that the run in a folder began with; empty if there is none."""
    file = out / OPTIONS_FILE
    return dict(read_json(file)) if file.is_file() else {}


def training_options(merged: Mapping[str, object], chosen: Mapping[str, object]) -> TrainingOptions:
    """Validate options; a chosen end replaces the stored one.

    Raises:
        InvalidDocument: Naming every wrong option.
    """
    ends = {"hours", "views"} & set(chosen)
    dropped = {"hours", "views"} - ends if ends else set[str]()
    content = {name: value for name, value in merged.items() if name not in dropped}
    return parse_document(TrainingOptions, content, COMMAND)
