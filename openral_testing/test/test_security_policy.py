"""Policies name what the nodes of a graph use, whatever it is."""

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("rclpy")
import rclpy
from lifecycle_msgs.srv import GetState
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String
from typer.testing import CliRunner

from openral_bringup.cli.main import command_line
from openral_msgs.action import ExecuteRskill
from openral_testing.security_policy import (
    NoNodes,
    Profile,
    merged,
    observe_profiles,
    policy_of,
    profiles_of,
    settled_profiles,
)

TALKER = Profile("/talker", "/", "talker", {"publish": frozenset({"/chatter", "/rosout"})})
LISTENER = Profile("/a/listener", "/a", "listener", {"subscribe": frozenset({"/chatter"})})


@pytest.fixture
def robot(ros_domain: int) -> Iterator[Node]:
    context = Context()
    rclpy.init(args=["--ros-args", "--enclave", "/robot/planner"], context=context, domain_id=ros_domain)
    node = Node("planner", namespace="/robot", context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_a_policy_has_a_profile_per_node_below_its_enclave() -> None:
    enclaves = ET.fromstring(policy_of([TALKER, LISTENER])).findall("enclaves/enclave")
    assert [enclave.attrib["path"] for enclave in enclaves] == ["/a/listener", "/talker"]
    profile = enclaves[1].find("profiles/profile")
    assert profile is not None
    assert profile.attrib == {"ns": "/", "node": "talker"}
    topics = profile.findall("topics[@publish='ALLOW']/topic")
    assert [topic.text for topic in topics] == ["/chatter", "/rosout"]
    assert not profile.findall("topics[@subscribe]")


def test_permissions_add_up_and_survive_the_file() -> None:
    more = Profile(*TALKER.key, {"publish": frozenset({"/news"}), "call": frozenset({"/move"})})
    both = merged([TALKER, LISTENER, more])
    assert profiles_of(policy_of(both)) == both
    assert both[1].permissions["publish"] == {"/chatter", "/news", "/rosout"}
    assert both[1].permissions["call"] == {"/move"}


def test_a_new_topic_service_or_action_is_in_the_policy(robot: Node, spin_until: Callable[..., None]) -> None:
    def permissions() -> dict[str, frozenset[str]]:
        (profile,) = observe_profiles(robot, "/robot")
        assert profile.key == ("/robot/planner", "/robot", "planner")
        return profile.permissions

    assert "/robot/invented" not in permissions()["publish"]
    robot.create_publisher(String, "invented", 1)
    robot.create_subscription(String, "/heard", print, 1)
    robot.create_service(GetState, "~/asked", lambda request, response: response)
    robot.create_client(GetState, "/other/get_state")
    client = ActionClient(robot, ExecuteRskill, "execute")
    try:
        spin_until(robot, lambda: "/robot/execute" in permissions().get("call", ()))
        spin_until(robot, lambda: "/robot/invented" in permissions()["publish"])
        assert permissions()["subscribe"] == {"/heard"}
        assert "/robot/planner/asked" in permissions()["reply"]
        assert permissions()["request"] == {"/other/get_state"}
        assert not any("_action" in name for names in permissions().values() for name in names)
    finally:
        client.destroy()


def test_the_command_writes_a_policy_and_extends_it(robot: Node, tmp_path: Path) -> None:
    file = tmp_path / "policy.xml"
    file.write_text(policy_of([TALKER]))
    result = CliRunner().invoke(command_line(), ["security", "policy", str(file), "--namespace", "/robot"])
    assert result.exit_code == 0, result.output
    assert "2 nodes in 2 enclaves" in result.output
    assert [profile.node for profile in profiles_of(file.read_text())] == ["planner", "talker"]


def test_an_empty_domain_is_refused(ros_domain: int) -> None:
    with pytest.raises(NoNodes, match=rf"no node runs in domain {ros_domain}"):
        settled_profiles(ros_domain, "", settled=0.5)
