"""One peer in a process of its own, to be stopped and killed: `memory` or `skills`."""

import sys
from collections.abc import Callable, Mapping

from rclpy.action import ActionServer

from openral_core.skills import Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue
from openral_msgs.srv import RecallObject
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import LATCHED
from openral_ros.run_node import run


class Memory(LifecycleNodeBase):
    """Serves recall and remembers nothing; active at once."""

    def __init__(self) -> None:
        super().__init__("lone_memory")
        self.create_service(RecallObject, "/openral/recall_object", lambda request, response: response)
        self.trigger_configure()
        self.trigger_activate()


class Skills(LifecycleNodeBase):
    """Takes goals and does nothing; active at once."""

    def __init__(self) -> None:
        super().__init__("lone_skills")
        ActionServer(self, ExecuteRskill, "/openral/execute_rskill", lambda goal: ExecuteRskill.Result())
        catalogue = self.create_publisher(SkillCatalogue, "/openral/skills", LATCHED)
        catalogue.publish(SkillCatalogue(verbs=[verb.value for verb in Verb]))
        self.trigger_configure()
        self.trigger_activate()


PEERS: Mapping[str, Callable[[], LifecycleNodeBase]] = {"memory": Memory, "skills": Skills}

if __name__ == "__main__":
    run(PEERS[sys.argv[1]])
