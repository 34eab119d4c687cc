"""Launch file of a real robot's skill server, world state, detectors and reasoner.

ros2 launch openral_bringup robot.launch.py robot:=my_robot.yaml [detectors:=default] [brain:=scripted] ...
"""

from launch import LaunchDescription

from openral_bringup.launch_description import ROBOT_ARGUMENTS, describe


def generate_launch_description() -> LaunchDescription:
    """Describe the same graph that deploy_robot.py brings up."""
    return describe(ROBOT_ARGUMENTS)
