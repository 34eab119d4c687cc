"""ros2 launch openral_bringup sim_e2e.launch.py [scene:=home] [detectors:=embedded] [brain:=scripted] ..."""

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from openral_bringup.graphs import NodeSpec, describe
from openral_bringup.graphs.arguments import ARGUMENTS, choices_from
from openral_bringup.graphs.locations import rskill_folders


def generate_launch_description() -> LaunchDescription:
    """The same graph that deploy_sim.py brings up."""
    declared = [
        DeclareLaunchArgument(a.name, default_value=a.default, description=a.description, choices=a.choices)
        for a in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_nodes)])


def _nodes(context: LaunchContext) -> list[Node]:
    words = {a.name: LaunchConfiguration(a.name).perform(context) for a in ARGUMENTS}
    choices = choices_from(words)
    return [_node(spec, choices.max_restarts) for spec in describe(choices, rskill_folders()).started]


def _node(spec: NodeSpec, max_restarts: int) -> Node:
    return Node(
        package=spec.package,
        executable=spec.executable,
        name=spec.name,
        namespace=spec.namespace,
        parameters=[dict(spec.parameters)],
        additional_env=dict(spec.variables),
        remappings=list(spec.remaps.items()),
        ros_arguments=["--log-level", spec.log_level],
        output="screen",
        respawn=True,
        respawn_delay=1.0,
        respawn_max_retries=max_restarts,
    )
