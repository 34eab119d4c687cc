"""Launch description of a graph, which every launch file of this package returns."""

from collections.abc import Mapping, Sequence

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from openral_bringup.graph.nodes import NodeSpec
from openral_bringup.launch_description import Argument, Launch, prepare


def describe(arguments: Sequence[Argument]) -> LaunchDescription:
    """Describe the graph that the values of these launch arguments choose."""
    declared = [
        DeclareLaunchArgument(a.name, default_value=a.default, description=a.description, choices=a.choices)
        for a in arguments
    ]

    def nodes(context: LaunchContext) -> list[LogInfo | Node]:
        values = {a.name: LaunchConfiguration(a.name).perform(context) for a in arguments}
        launch = prepare(values, context.launch_configurations)
        started = [_node(spec, launch, context.environment) for spec in launch.graph.started]
        return [*(LogInfo(msg=line) for line in launch.lines), *started]

    return LaunchDescription([*declared, OpaqueFunction(function=nodes)])


def _node(spec: NodeSpec, launch: Launch, environment: Mapping[str, str]) -> Node:
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.namespace,
        parameters=[dict(spec.parameters)],
        env={**spec.environment(environment), **launch.variables},
        remappings=list(spec.remaps.items()),
        ros_arguments=["--log-level", spec.log_level, "--enclave", spec.qualified],
        output="screen",
        respawn=True,
        respawn_delay=1.0,
        respawn_max_retries=launch.max_restarts,
    )
