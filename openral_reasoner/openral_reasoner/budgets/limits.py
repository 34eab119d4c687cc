"""What one mission may use."""

from pydantic import BaseModel, ConfigDict, Field


class SearchBudget(BaseModel):
    """Limits of one mission; every loop of the reasoner spends from one of these lines."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidates: int = Field(default=24, ge=0, description="places searched")
    recalls: int = Field(default=60, ge=0, description="questions to memory: recalls and resolves")
    locates: int = Field(default=60, ge=0, description="live looks with a detector")
    model_calls: int = Field(default=80, ge=0, description="decisions asked of the model")
    tokens: int = Field(default=500_000, ge=0, description="tokens the model reads and writes")
    dollars: float = Field(default=10.0, ge=0.0, description="what decisions cost, as far as known [US$]")
    unpriced_calls: int = Field(default=10_000, ge=0, description="decisions whose cost is not known")
    transitions: int = Field(default=40, ge=0, description="lifecycle transitions of detectors")
    skills: int = Field(default=120, ge=0, description="goals sent to the skill server")
    handoffs: int = Field(default=1, ge=0, description="questions put to a human")
    seconds: float = Field(
        default=900.0, gt=0.0, description="wall-clock time, without waiting for a human [s]"
    )
