"""ros2 launch openral_bringup sim_e2e.launch.py [scene:=home] [detectors:=embedded] [brain:=scripted] ..."""

from functools import partial

from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from openral_bringup.graphs import ImpossibleChoices, NodeSpec, describe
from openral_bringup.graphs.arguments import ARGUMENTS, choices_from, misspelt
from openral_bringup.graphs.locations import rskill_folders
from openral_bringup.graphs.requirements import lacking
from openral_bringup.graphs.spellings import in_launch_spelling


def generate_launch_description() -> LaunchDescription:
    """The same graph that deploy_sim.py brings up."""
    declared = [
        DeclareLaunchArgument(a.name, default_value=a.default, description=a.description, choices=a.choices)
        for a in ARGUMENTS
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=_nodes)])


def _nodes(context: LaunchContext) -> list[LogInfo | Node]:
    words = {a.name: LaunchConfiguration(a.name).perform(context) for a in ARGUMENTS}
    folders = rskill_folders()
    choices, problems = choices_from(words)
    try:
        graph = describe(
            choices, folders, known_problems=problems, requirements=partial(lacking, folders=folders)
        )
    except ImpossibleChoices as error:
        raise ImpossibleChoices(in_launch_spelling(error.problems, words)) from None
    lines = misspelt(context.launch_configurations)
    lines += [
        f"{node.key} runs with {name}={value}"
        for node in graph.started
        for name, value in node.variables.items()
    ]
    return [
        *(LogInfo(msg=line) for line in lines),
        *(_node(spec, choices.max_restarts) for spec in graph.started),
    ]


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
