"""Ground truth as a detector: what the simulator knows, as imperfect as asked."""

from openral_perception_ros.engines.sim_groundtruth.engine import SimGroundtruth, load

__all__ = ["SimGroundtruth", "load"]
