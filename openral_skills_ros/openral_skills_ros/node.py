"""Skill server of a real robot: carries out ExecuteRskill by the actions that robot.yaml names.

Subscribes tf, tf_static and the pose of the localiser. Publishes openral/skills and
openral/failure/skill_server. Serves the action openral/execute_rskill.
"""

import sys
from pathlib import Path

from openral_core.robot import load_robot
from openral_core.rskills import Registry
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run
from openral_ros.skill_server import SkillServer
from openral_ros.tracing import start_tracing
from openral_skills_ros.parameters import SkillServerParameters
from openral_skills_ros.robot_skills import RobotSkills


class SkillServerNode(LifecycleNodeBase):
    """Lifecycle node that carries out skills on a real robot."""

    def __init__(self, **options: object) -> None:
        super().__init__("skill_server", **options)
        self._server: SkillServer | None = None
        self._skills: RobotSkills | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Read robot.yaml and create every interface.

        Raises:
            InvalidParameters: If the node's parameters are invalid.
            InvalidDocument: If robot.yaml or a skill's manifest is invalid.
        """
        parameters = declare(self, SkillServerParameters)
        start_tracing("skill_server", Path(parameters.record) if parameters.record else None)
        robot = load_robot(Path(parameters.robot))
        registry = Registry.load([Path(folder) for folder in parameters.rskill_folders])
        self._skills = RobotSkills(scope, self, robot)
        self._server = SkillServer(scope, registry, self._skills)

    def activate(self, scope: ResourceScope) -> None:
        """Accept goals; leaving the state cancels the one that runs."""
        if self._server is not None and self._skills is not None:
            self._server.serve(scope, self._skills)
            scope.callback(self._skills.stop, "stopped: the skill server was deactivated")


def main() -> None:
    """Run the node until it is interrupted."""
    sys.exit(run(SkillServerNode))
