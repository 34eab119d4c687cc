"""Base of every event, command and part of them."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")
