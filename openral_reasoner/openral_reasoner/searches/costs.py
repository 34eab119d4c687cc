"""What a search takes beside driving."""

from pydantic import BaseModel, ConfigDict, Field


class SearchCosts(BaseModel):
    """Each as a way that could be driven instead [m]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    looking: float = Field(default=2.0, gt=0.0, description="turning to a place and looking [m]")
    opening: float = Field(default=10.0, ge=0.0, description="opening and closing a door beside it [m]")
