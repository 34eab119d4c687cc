"""Names of frames and joints as the graph knows them."""

from openral_sim.robot import PREFIX

MAP = "map"
ODOM = "odom"
BASE = "base_link"


def graph_name(model_name: str) -> str:
    """A part of the robot without the prefix it has in the model."""
    return model_name.removeprefix(PREFIX)
