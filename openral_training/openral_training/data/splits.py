"""Splits of a data set: the homes of each, and the kinds of objects never rendered for training."""

from collections.abc import Mapping
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from openral_core.documents import Document, load_document, parse_document
from openral_sim.assets.objects.catalogue import ObjectKindName

MAX_HOMES = 1_000_000
"""Largest number of homes of a split [1]: the distance of the shipped ranges of seeds."""


class SplitPlan(Document):
    """Homes of a split."""

    first_seed: NonNegativeInt  # Seed of the first home; the following homes have the following seeds.
    homes: PositiveInt = Field(le=MAX_HOMES)  # Number of homes.
    images: PositiveInt  # Number of images of each home.
    held_out_kinds: bool = False  # True if the homes may have objects of the held-out kinds.

    @property
    def seeds(self) -> range:
        """Seeds of the homes."""
        return range(self.first_seed, self.first_seed + self.homes)


class DataPlan(Document):
    """Splits by name, and the kinds that only splits with `held_out_kinds` contain."""

    held_out: tuple[ObjectKindName, ...]
    splits: dict[str, SplitPlan]

    @field_validator("splits")
    @classmethod
    def _names_are_folders(cls, splits: Mapping[str, SplitPlan]) -> Mapping[str, SplitPlan]:
        for name in splits:
            if not name.isidentifier():
                raise ValueError(f"split '{name}' is not a name of letters, digits and underscores")
        return splits

    @model_validator(mode="after")
    def _homes_are_disjoint(self) -> "DataPlan":
        ordered = sorted(self.splits.items(), key=lambda item: item[1].first_seed)
        for (name, split), (other, next_split) in pairwise(ordered):
            if split.seeds.stop > next_split.seeds.start:
                raise ValueError(
                    f"splits '{name}' and '{other}' share homes: seeds {split.seeds.start} to "
                    f"{split.seeds.stop - 1} and {next_split.seeds.start} to {next_split.seeds.stop - 1}"
                )
        return self

    def resized(self, homes: int | None, images: int | None) -> "DataPlan":
        """Return the same plan with other numbers of homes in each split, and of images of each home.

        Raises:
            InvalidDocument: If two splits then share homes.
        """
        changes = {key: value for key, value in (("homes", homes), ("images", images)) if value is not None}
        content = self.model_dump()
        for split in content["splits"].values():
            split.update(changes)
        return parse_document(DataPlan, content, "--homes, --images")

    def without(self, split: str) -> tuple[str, ...]:
        """Kinds that the homes of a split do not have."""
        return () if self.splits[split].held_out_kinds else self.held_out


def load_plan(path: Path | None = None) -> DataPlan:
    """Read the splits in a file; None reads the shipped ones.

    Raises:
        InvalidDocument: If the file is missing or invalid, or two splits share homes.
    """
    if path is not None:
        return load_document(DataPlan, path)
    with as_file(files(__package__) / "splits.yaml") as shipped:
        return load_document(DataPlan, shipped)
