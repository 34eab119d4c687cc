"""What goes into the mission core and what comes out; all of it values that JSON can hold."""

from openral_reasoner.exchanges.turns import Context, Found, Frontier, RawCall, Reply, ToolSchema, Turn, fence
from openral_reasoner.exchanges.value import Value

__all__ = ["Context", "Found", "Frontier", "RawCall", "Reply", "ToolSchema", "Turn", "Value", "fence"]
