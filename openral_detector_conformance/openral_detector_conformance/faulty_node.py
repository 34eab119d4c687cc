"""A detector node whose engine is `faulty_engine`, whatever its manifest names."""

import sys

from openral_perception_ros.node import DetectorNode
from openral_ros.run_node import run


class FaultyNode(DetectorNode):
    """See the module."""

    worker_module = "openral_detector_conformance.faulty_worker"


def main() -> None:
    """Run it."""
    sys.exit(run(lambda: FaultyNode("detector"), transitions_apart=True))
