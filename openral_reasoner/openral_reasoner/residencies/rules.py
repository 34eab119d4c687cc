"""Bounds on who is resident."""

from pydantic import BaseModel, ConfigDict, Field


class ResidencyRules(BaseModel):
    """Said once; memory in [MB], times in [s]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    budget: float = Field(default=0.0, ge=0.0, description="memory that all may hold together; 0 = no limit")
    keep_warm: float = Field(default=60.0, ge=0.0, description="rest of a woken locator before it sleeps [s]")
    min_residency: float = Field(default=5.0, ge=0.0, description="nobody is sent away sooner than this [s]")
    memory_back: float = Field(default=10.0, gt=0.0, description="until freed memory is measured back [s]")
    load_rate: float = Field(default=250.0, gt=0.0, description="loading speed until one was measured [MB/s]")
    pinned: tuple[str, ...] = Field(default=(), description="peers that are never sent away")

    @property
    def room(self) -> float:
        """The budget as a number to compare with [MB]."""
        return self.budget or float("inf")
