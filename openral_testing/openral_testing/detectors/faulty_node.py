"""A detector node that runs `FaultyEngine` instead of its manifest's engine."""

import sys

from openral_perception_ros.node import DetectorNode
from openral_ros.run_node import run


class FaultyNode(DetectorNode):
    """Detector node whose worker runs `FaultyEngine`."""

    worker_module = "openral_testing.detectors.faulty_worker"


def main() -> None:
    """Run the node."""
    sys.exit(run(FaultyNode))
