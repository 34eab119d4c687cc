"""Small data sets: one home, a few small images."""

from pathlib import Path

import pytest

from openral_training.data.dataset import Dataset
from openral_training.data.home_renderer import LabelledImage, RenderSettings, render_home
from openral_training.data.splits import DataPlan, SplitPlan

SEED = 1_000_003
SMALL = RenderSettings(width=160, height=120, shadows=0.5, depth=True)
PLAN = DataPlan(
    held_out=("banana", "pot"),
    splits={
        "train": SplitPlan(first_seed=SEED, homes=2, images=2),
        "teach": SplitPlan(first_seed=SEED + 10, homes=1, images=1, held_out_kinds=True),
    },
)


@pytest.fixture(scope="session")
def images() -> list[LabelledImage]:
    """Images of one home, shared by tests that only look at them."""
    return list(render_home(SEED, 12, PLAN.held_out, SMALL))


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """The training split of a small plan in an empty folder."""
    return Dataset(tmp_path / "data", PLAN, ("train",), SMALL)
