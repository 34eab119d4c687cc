"""The simulation node with a camera, transforms and a clock that can be broken."""

import sys

from graph.fault_injection.switches import inherited
from graph.fault_injection.tampered_publishers import TamperedScope

from openral_ros.resources import ResourceScope
from openral_ros.run_node import run
from openral_sim.ros.node import SimNode


class FaultySim(SimNode):
    """Its publishers obey the switches of `tampered_publishers`; its skill server keeps a log of goals."""

    def configure(self, scope: ResourceScope) -> None:
        super().configure(TamperedScope(scope, inherited()))


def main() -> None:
    sys.exit(run(FaultySim))
