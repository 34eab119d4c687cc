"""Launch file of the simulation, world state, detectors and reasoner.

ros2 launch openral_bringup sim_e2e.launch.py [scene:=home] [detectors:=embedded] [brain:=scripted] ...
"""

from collections.abc import Mapping

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from openral_bringup.graph.nodes import NodeSpec
from openral_bringup.launch_description import ARGUMENTS, Launch, prepare


def generate_launch_description() -> LaunchDescription:
    """Describe the same graph that deploy_sim.py brings up."""
    declared = [
        DeclareLaunchArgument(a.name, default_value=a.default, description=a.description, choices=a.choices)
        for a in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_nodes)])


def _nodes(context: LaunchContext) -> list[LogInfo | Node]:
    arguments = {a.name: LaunchConfiguration(a.name).perform(context) for a in ARGUMENTS}
    launch = prepare(arguments, context.launch_configurations)
    nodes = [_node(spec, launch, context.environment) for spec in launch.graph.started]
    return [*(LogInfo(msg=line) for line in launch.lines), *nodes]


def _node(spec: NodeSpec, launch: Launch, environment: Mapping[str, str]) -> Node:
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.namespace,
        parameters=[dict(spec.parameters)],
        env={**spec.environment(environment), **launch.variables},
        remappings=list(spec.remaps.items()),
        ros_arguments=["--log-level", spec.log_level],
        output="screen",
        respawn=True,
        respawn_delay=1.0,
        respawn_max_retries=launch.max_restarts,
    )
