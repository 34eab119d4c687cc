"""The wine story on the home fixture: real memory, real reasoner, real DDS; robot and eyes are fakes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from graph.kinematic_robot import KinematicRobot, Scenario, Vessel
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from openral_core.spatial_memory import RecallResult
from openral_msgs.msg import MissionStatus, PromptStamped
from openral_reasoner.events import Recalled
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import LATCHED, RELIABLE
from openral_testing.recordings.lives import read_lines
from openral_world_state.ros.node import WorldStateNode

ROOT = Path(__file__).parents[2]
MEMORY, MAP = ROOT / "scenes" / "memory" / "home.json", ROOT / "scenes" / "maps" / "home.yaml"
BOTTLE, GLASS = "wine bottle", "wine glass"


def activated(kind: type[LifecycleNodeBase], context: Any, **parameters: Any) -> LifecycleNodeBase:
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    node = kind(context=context, parameter_overrides=overrides)
    node.trigger_configure()
    node.trigger_activate()
    return node


@pytest.fixture
def robot(ros_context: Any) -> Iterator[KinematicRobot]:
    """The wine is where memory has it, in the closed fridge; the glass, never seen, in the closed cabinet."""
    things = {
        BOTTLE: Vessel((0.46, 1.8, 1.0), 0.04, 0.3, 2.4),
        GLASS: Vessel((2.0, 0.24, 0.92), 0.035, 0.18, 1.8),
    }
    node = KinematicRobot(ros_context, Scenario(things))
    yield node
    node.destroy_node()


@pytest.fixture
def nodes(ros_context: Any, robot: KinematicRobot, tmp_path: Path) -> Iterator[list[Node]]:
    memory = activated(WorldStateNode, ros_context, map=str(MAP), spatial_memory_path=str(MEMORY))
    folders = [str(ROOT / "rskills")]
    reasoner = activated(ReasonerNode, ros_context, rskill_folders=folders, record=str(tmp_path))
    yield [memory, reasoner, robot]
    for node in (reasoner, memory):
        node.close()
        node.destroy_node()


def recalls(folder: Path) -> list[RecallResult]:
    with (folder / "reasoner.jsonl").open(encoding="utf-8") as lines:
        _, steps = read_lines(lines)
    return [step.event.result for step in steps if isinstance(step.event, Recalled)]


def test_the_wine_is_recalled_in_the_fridge_and_brought_in_a_glass_found_in_the_cabinet(
    nodes: list[Node], robot: KinematicRobot, spin_until: Callable[..., None], tmp_path: Path
) -> None:
    statuses: list[MissionStatus] = []
    robot.create_subscription(MissionStatus, "/openral/mission", statuses.append, LATCHED)
    prompts = robot.create_publisher(PromptStamped, "/openral/prompt", RELIABLE)
    spin_until(nodes, lambda: prompts.get_subscription_count() > 1, 10.0)
    words = "bring me a cup of wine"
    prompts.publish(
        PromptStamped(header=Header(frame_id="operator"), id="p", text=words, requester="requester")
    )
    over = MissionStatus.STATE_SUCCEEDED
    spin_until(nodes, lambda: bool(statuses) and statuses[-1].state >= over, 90.0)
    last = statuses[-1]
    assert last.state == MissionStatus.STATE_SUCCEEDED, last.reason

    first, second, *_ = recalls(tmp_path)
    wine = first.matches[0]
    assert (wine.label, tuple(wine.containers), wine.must_open) == (BOTTLE, ("fridge",), "fridge")
    assert not second.matches
    assert "cabinet: FOUND" in list(last.searched)
    assert set(robot.scenario.opened) == {"fridge", "cabinet"}
    assert robot.scenario.closed == {"fridge", "cabinet"}
    assert robot.scenario.filled == {GLASS: BOTTLE}
    assert robot.scenario.delivered == [(GLASS, "requester")]
