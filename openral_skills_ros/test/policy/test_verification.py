"""Success of a policy by memory, a locator or a joint, never by its own word."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from foreign_joints import ForeignJoints, start, start_policies
from policy_server import PolicyServer

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.msg import SceneGraph, SceneNode
from openral_msgs.srv import LocateInView
from openral_ros.qos import LATCHED

STATE = {"state": {"source": "joints", "joints": ["shoulder"]}}
NODE = {"by": "memory", "node": "{container_id}", "timeout": 0.5}
LOCATE = {"by": "locate", "query": "open {container_id}", "timeout": 1.0}
SUCCEEDED, SKILL_ERROR = SkillStatus.SUCCEEDED, SkillStatus.SKILL_ERROR


@pytest.fixture
def server() -> Iterator[PolicyServer]:
    """A policy that says at once that it has reached its goal."""
    made = PolicyServer(lambda observation: {"done": True})
    yield made
    made.stop()


def judged(bench: Any, folder: Path, server: PolicyServer, verify: dict[str, Any]) -> Any:
    ForeignJoints(bench)
    start(bench, folder, server.address, {"verify": verify})
    bench.until(lambda: bench.offered() == ["OPEN"])
    result = bench.send("open", target=Pose((1.0, 0.0, 0.5)), container_id="fridge_1").result()
    assert result.evidence["ended_by"] == "done"
    assert result.evidence["verified"] is (result.status is SUCCEEDED)
    return result


@pytest.mark.parametrize(
    ("expect", "node", "status", "words"),
    [
        ("open", {"opening": SceneNode.OPENING_OPEN}, SUCCEEDED, "memory has fridge_1 as open"),
        ("open", {"opening": SceneNode.OPENING_CLOSED}, SKILL_ERROR, "does not have fridge_1 as open"),
        ("closed", {"opening": SceneNode.OPENING_CLOSED}, SUCCEEDED, "memory has fridge_1 as closed"),
        ("gone", {"presence": SceneNode.PRESENCE_GONE}, SUCCEEDED, "memory has fridge_1 as gone"),
        # Last seen at time 0: before the motion.
        (
            "present",
            {"presence": SceneNode.PRESENCE_PRESENT},
            SKILL_ERROR,
            "not have fridge_1 as present",
        ),
        ("open", None, SKILL_ERROR, "memory has no node 'fridge_1'"),
    ],
)
def test_memory_judges(
    bench: Any,
    server: PolicyServer,
    tmp_path: Path,
    expect: str,
    node: dict[str, int] | None,
    status: SkillStatus,
    words: str,
) -> None:
    nodes = [] if node is None else [SceneNode(id="fridge_1", **node)]
    bench.robot.create_publisher(SceneGraph, "openral/scene_graph", LATCHED).publish(SceneGraph(nodes=nodes))
    result = judged(bench, tmp_path, server, {**NODE, "expect": expect})
    assert result.status is status
    assert words in result.message


@pytest.mark.parametrize(
    ("answer", "expect", "status", "words"),
    [
        (LocateInView.Response.FOUND, "found", SUCCEEDED, "eye sees 'open fridge_1'"),
        (LocateInView.Response.NOT_IN_VIEW, "found", SKILL_ERROR, "eye does not see 'open fridge_1'"),
        (LocateInView.Response.NOT_IN_VIEW, "absent", SUCCEEDED, "eye does not see 'open fridge_1'"),
        (LocateInView.Response.STALE_FRAME, "absent", SKILL_ERROR, "has not looked for 'open fridge_1': old"),
        (None, "found", SKILL_ERROR, "is not available"),
    ],
)
def test_a_locator_judges(
    bench: Any,
    server: PolicyServer,
    tmp_path: Path,
    answer: int | None,
    expect: str,
    status: SkillStatus,
    words: str,
) -> None:
    def locate(request: Any, response: Any) -> Any:
        assert request.query == "open fridge_1"
        response.status, response.detector, response.message = answer, "eye", "old"
        return response

    if answer is not None:
        bench.robot.create_service(LocateInView, "openral/perception/locate_in_view", locate)
    result = judged(bench, tmp_path, server, {**LOCATE, "expect": expect})
    assert result.status is status
    assert words in result.message


@pytest.mark.parametrize(
    ("joint", "status", "words"),
    [
        ({"joint": "finger", "range": [0.03, 0.05]}, SUCCEEDED, "finger is at 0.04"),
        ({"joint": "finger", "range": [0.001, 0.03]}, SKILL_ERROR, "expected 0.001 to 0.03"),
        ({"joint": "thumb", "range": [0.0, 1.0]}, SKILL_ERROR, "joint_states has no joint 'thumb'"),
    ],
)
def test_a_joint_judges(
    bench: Any,
    server: PolicyServer,
    tmp_path: Path,
    joint: dict[str, Any],
    status: SkillStatus,
    words: str,
) -> None:
    result = judged(bench, tmp_path, server, {"by": "joint", **joint})
    assert result.status is status
    assert words in result.message


def test_a_verified_grasp_is_in_the_catalogue_until_it_is_placed(
    bench: Any, server: PolicyServer, tmp_path: Path
) -> None:
    ForeignJoints(bench)
    check = {"verify": {"by": "joint", "joint": "finger", "range": [0.0, 0.05]}, "observation": STATE}
    start_policies(bench, tmp_path, dict.fromkeys(("GRASP", "PLACE"), server.address), **check)
    bench.until(lambda: len(bench.offered()) == 2)
    assert bench.send("grasp", target=Pose((1.0, 0.0, 0.5)), label="mug").result().success
    bench.until(lambda: bench.catalogue[-1].holding == "mug")
    assert bench.send("place", target=Pose((1.0, 0.0, 0.5))).result().success
    bench.until(lambda: bench.catalogue[-1].holding == "")
