"""Options of a training of the planner's adapter."""

from pathlib import Path

from pydantic import Field

from openral_core.documents import Document

MISSIONS = "missions.jsonl"
"""File of a run with the decisions of its missions."""


class PlannerOptions(Document):
    """Options of a run, which goes on with the same ones but for ``out``."""

    out: Path = Field(description="folder of the run")
    base: Path = Field(description="GGUF file or hub folder of the base model")
    prompt_format: int
    start: Path | None = Field(default=None, description="adapter that the training goes on from")
    missions: int = Field(default=1200, ge=8, description="missions that are drawn")
    seed: int = Field(default=1000, ge=0, description="seed of the first mission, and of the adapter")
    epochs: int = Field(default=1, ge=1, description="times that each mission is seen")
    batch: int = Field(default=8, ge=1, description="missions per step")
    rate: float = Field(default=1e-3, gt=0.0, description="highest learning rate")
    rank: int = Field(default=16, ge=1, description="rank of the adapter")
    layers: int = Field(default=16, ge=1, description="last layers that are adapted")
    longest: int = Field(default=600, ge=64, description="longest part of a mission [tokens]")
    threads: int = Field(default=1, ge=1, description="threads of the network, in each process")
    device: str = Field(default="cpu", description="where it computes: cpu or cuda")
    save_every: int = Field(default=20, ge=1, description="steps between checkpoints")

    def fixed(self) -> dict[str, object]:
        """Return what must be the same to go on."""
        return self.model_dump(mode="json", exclude={"out", "base", "start", "save_every"})
