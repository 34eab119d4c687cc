"""Base of every event, command and part of them."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class OfCall(Value):
    """Belongs to one call: what is asked and what answers it have the same id."""

    call_id: str
