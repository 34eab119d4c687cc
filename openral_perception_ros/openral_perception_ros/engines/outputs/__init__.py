"""From a model's raw output to boxes, scores and class numbers."""

from openral_perception_ros.engines.outputs.candidates import Candidates, candidates_of
from openral_perception_ros.engines.outputs.suppression import suppressed

__all__ = ["Candidates", "candidates_of", "suppressed"]
