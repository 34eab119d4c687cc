"""Specification of one node to start."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openral_core.environment import node_environment

ParameterValue = bool | int | float | str | list[str]


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """Arguments of `ros2 run` for one node, and the level at which bring-up activates it.

    ``level`` is None for a node that bring-up does not manage; ``awake`` is False for one that is configured
    and left inactive. ``remaps`` holds absolute names, ``variables`` additions to its environment, ``own``
    patterns of environment variables that only this node receives, such as the API key of its model.
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
        """Short unique name: a detector's slug, else the node's name."""
        return self.namespace.rsplit("/", 1)[-1] if "/perception/" in self.namespace else self.name

    @property
    def managed_as(self) -> str:
        """Entry of bring-up's parameter `nodes`."""
        return f"{self.level}:{self.qualified}" + ("" if self.awake else "=inactive")

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the node's process, selected from ``given``."""
        return {**node_environment(given, self.own), **self.variables}

    def with_parameters(self, parameters: Mapping[str, ParameterValue]) -> "NodeSpec":
        """Return the node with additional or changed parameters."""
        return replace(self, parameters={**self.parameters, **parameters})
