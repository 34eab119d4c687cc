"""Parameters of the bring-up node."""

from pydantic import Field

from openral_ros.parameters import Parameters

ASLEEP = "=inactive"


class BringupParameters(Parameters):
    """Which nodes are managed, in which order, and how patiently."""

    nodes: tuple[str, ...] = Field(
        description="fully qualified names as 'level:name', lower levels first; '=inactive' leaves it so"
    )
    autostart: bool = Field(default=True, description="configure and activate this node itself at start")
    step_deadline: float = Field(60.0, ge=0.5, le=600.0, description="time one transition may take [s]")
    retries: int = Field(3, ge=0, le=100, description="refused transitions before a node is left as it is")
    back_off: float = Field(
        2.0, ge=0.0, le=60.0, description="wait before the first retry, doubled each time [s]"
    )
    absence: float = Field(
        45.0, ge=1.0, le=3600.0, description="a node that is down for longer is reported as left down [s]"
    )
    poll: float = Field(0.5, ge=0.05, le=10.0, description="time between looks at each node's state [s]")
    heartbeat: float = Field(
        1.5, ge=0.1, le=60.0, description="a node that answers later than this is down [s]"
    )

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Names level by level."""
        split = [entry.removesuffix(ASLEEP).split(":", 1) for entry in self.nodes]
        order = sorted({level for level, _ in split})
        return tuple(tuple(name for each, name in split if each == level) for level in order)

    @property
    def asleep(self) -> frozenset[str]:
        """Names of nodes that are configured and left inactive."""
        return frozenset(e.removesuffix(ASLEEP).split(":", 1)[1] for e in self.nodes if e.endswith(ASLEEP))
