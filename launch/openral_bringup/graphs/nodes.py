"""One node to be started."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

ParameterValue = bool | int | float | str | list[str]


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """What `ros2 run` needs to start a node, and the level at which bring-up activates it.

    ``level`` None means the node is not managed by bring-up.
    """

    name: str
    package: str
    executable: str
    namespace: str = ""
    level: int | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @property
    def qualified(self) -> str:
        """Fully qualified name, ``/openral/perception/sim_groundtruth/detector``."""
        return f"{self.namespace.rstrip('/')}/{self.name}"

    @property
    def key(self) -> str:
        """A short unique name: a detector's slug, else the node's name."""
        return self.namespace.rsplit("/", 1)[-1] if "/perception/" in self.namespace else self.name

    def with_parameters(self, parameters: Mapping[str, ParameterValue]) -> "NodeSpec":
        """The same node with these parameters on top."""
        return replace(self, parameters={**self.parameters, **parameters})
