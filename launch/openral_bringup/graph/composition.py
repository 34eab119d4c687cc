"""Composition of a graph: nodes that share the process of one component container."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from openral_bringup.graph.nodes import NodeSpec, node_arguments

COMPONENTS: Mapping[str, str] = {
    "detector": "openral_perception_ros.node:DetectorNode",
    "world_state": "openral_world_state.ros.node:WorldStateNode",
    "mapper": "openral_mapping.ros.mapper_node:MapperNode",
    "reasoner": "openral_reasoner_ros.node:ReasonerNode",
    "bringup": "openral_bringup.lifecycle_manager.node:BringupNode",
}
"""Classes of the nodes that can share a process; what moves the robot is not among them."""
CONTAINER = "container"


def composed(nodes: Sequence[NodeSpec], namespace: str) -> tuple[NodeSpec, ...]:
    """Return the processes of a host: nodes that can share one become members of a container.

    A node with environment variables of its own stays apart, so that the key of a model is in no other
    node's memory.
    """
    members = tuple(node for node in nodes if node.name in COMPONENTS and not node.own)
    if len(members) < 2:
        return tuple(nodes)
    container = NodeSpec(
        CONTAINER,
        "openral_ros",
        "container",
        namespace,
        variables={name: value for node in members for name, value in node.variables.items()},
        log_level=members[0].log_level,
        members=members,
    )
    return (*(node for node in nodes if node not in members), container)


def component_arguments(members: Iterable[NodeSpec], folder: Path) -> list[str]:
    """Return the arguments of a container that makes these nodes, with their parameters in ``folder``."""
    return [
        word
        for node in members
        for word in (COMPONENTS[node.name], "--ros-args", *node_arguments(node, folder), "--")
    ]
