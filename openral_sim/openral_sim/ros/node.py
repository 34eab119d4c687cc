"""The simulation node: a MuJoCo world as a robot with cameras, and its skill server.

Publishes /clock, tf, tf_static, odom, joint_states; per camera image_raw, depth, camera_info, semantic and
labels; openral/skills, openral/failure/skill_server. Serves the action openral/execute_rskill.
"""

import sys

from openral_ros.managed_node import ManagedNode
from openral_ros.running import run
from openral_ros.scopes import Scope
from openral_sim.ros.session import SimSession


class SimNode(ManagedNode):
    """Lifecycle around a `SimSession`."""

    def __init__(self, **options: object) -> None:
        super().__init__("sim", **options)
        self._session: SimSession | None = None

    def configure(self, scope: Scope) -> None:
        """Load the scene and make every interface."""
        self._session = SimSession(scope, self)
        scope.callback(setattr, self, "_session", None)

    def activate(self, scope: Scope) -> None:
        """Start the simulation's thread and take goals."""
        if self._session is not None:
            self._session.run(scope)


def main() -> None:
    """Run the node until a signal."""
    sys.exit(run(SimNode))
