"""Launch file of the simulation, world state, detectors and reasoner.

ros2 launch openral_bringup sim_e2e.launch.py [scene:=home] [detectors:=embedded] [brain:=scripted] ...
"""

from launch import LaunchDescription

from openral_bringup.launch_description import ARGUMENTS, describe


def generate_launch_description() -> LaunchDescription:
    """Describe the same graph that deploy_sim.py brings up."""
    return describe(ARGUMENTS)
