"""One node to be started."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openral_core.environment import node_environment

ParameterValue = bool | int | float | str | list[str]


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """What `ros2 run` needs to start a node, and the level at which bring-up activates it.

    ``level`` None means the node is not managed by bring-up; ``awake`` False that it is configured and
    left inactive. ``remaps`` holds absolute names, ``variables`` what its environment has besides; ``own``
    are patterns of this environment's variables that it alone gets, such as the key of its model.
    """

    name: str
    package: str
    executable: str
    namespace: str = ""
    level: int | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    awake: bool = True
    remaps: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    log_level: str = "info"

    @property
    def qualified(self) -> str:
        """Fully qualified name, ``/openral/perception/sim_groundtruth/detector``."""
        return f"{self.namespace.rstrip('/')}/{self.name}"

    @property
    def key(self) -> str:
        """A short unique name: a detector's slug, else the node's name."""
        return self.namespace.rsplit("/", 1)[-1] if "/perception/" in self.namespace else self.name

    @property
    def managed_as(self) -> str:
        """How bring-up is told of it."""
        return f"{self.level}:{self.qualified}" + ("" if self.awake else "=inactive")

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """The variables that it is started with, out of those given."""
        return {**node_environment(given, self.own), **self.variables}

    def with_parameters(self, parameters: Mapping[str, ParameterValue]) -> "NodeSpec":
        """The same node with these parameters on top."""
        return replace(self, parameters={**self.parameters, **parameters})
