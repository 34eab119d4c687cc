"""Lifecycle: refused transitions leave nothing behind, broken ones say so."""

from typing import Any

import pytest

from openral_core.errors import OpenRALError

pytest.importorskip("rclpy")
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from pydantic import Field
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import InvalidParameters, Parameters, declare
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope


class NotToday(OpenRALError):
    """An expected failure of a transition."""


class Talker(LifecycleNodeBase):
    """Publishes while configured, ticks while active; fails as it is told."""

    def __init__(self, context: Any, fails: dict[str, Exception], **options: Any) -> None:
        super().__init__("talker", context=context, **options)
        self.fails = fails
        self.given_back: list[str] = []

    def configure(self, scope: ResourceScope) -> None:
        scope.publisher(String, "chatter", RELIABLE)
        scope.callback(self.given_back.append, "configured")
        self._maybe_fail("configure")

    def activate(self, scope: ResourceScope) -> None:
        scope.timer(1.0, lambda: None)
        scope.callback(self.given_back.append, "active")
        self._maybe_fail("activate")

    def _maybe_fail(self, where: str) -> None:
        if where in self.fails:
            raise self.fails[where]


def talkers_of(node: Talker) -> int:
    return len(node.get_publishers_info_by_topic("/chatter"))


def test_what_a_state_acquired_is_given_back_last_first(ros_context: Any) -> None:
    node = Talker(ros_context, {})
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    assert len(list(node.timers)) == 1
    node.trigger_deactivate()
    assert node.given_back == ["active"]
    assert len(list(node.timers)) == 0
    node.trigger_cleanup()
    assert node.given_back == ["active", "configured"]
    assert talkers_of(node) == 0
    node.destroy_node()


def test_configuring_twice_after_a_refusal_does_not_double_publishers(ros_context: Any) -> None:
    node = Talker(ros_context, {"configure": NotToday("no weights")})
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert talkers_of(node) == 0
    node.fails.clear()
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert talkers_of(node) == 1
    node.destroy_node()


def test_a_refused_activation_keeps_the_node_inactive_and_says_why(
    ros_context: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    node = Talker(ros_context, {"activate": NotToday("weights are missing: run fetch")})
    node.trigger_configure()
    assert node.trigger_activate() == TransitionCallbackReturn.FAILURE
    assert node.given_back == ["active"]
    assert "weights are missing: run fetch" in capfd.readouterr().err
    node.fails.clear()
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    node.destroy_node()


def test_an_unforeseen_error_is_logged_with_its_traceback_and_cleans_up(
    ros_context: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    node = Talker(ros_context, {"activate": ZeroDivisionError("oops")})
    node.trigger_configure()
    assert node.trigger_activate() == TransitionCallbackReturn.ERROR
    assert "ZeroDivisionError: oops" in capfd.readouterr().err
    assert node.given_back == ["active", "configured"]
    node.destroy_node()


class Knobs(Parameters):
    """Parameters of a test node."""

    rate: float = Field(5.0, ge=0.1, le=30.0, description="images a second [Hz]")
    cameras: tuple[str, ...] = ("head",)
    depth: int = Field(3, gt=0)
    pinned: tuple[str, ...] = ()


class Wanted(Knobs):
    """One that has no default."""

    model: str = Field(description="what to load")


def test_parameters_carry_default_bounds_and_description_to_ros(ros_context: Any) -> None:
    node = Talker(ros_context, {})
    assert declare(node, Knobs) == Knobs()
    described = node.describe_parameter("rate")
    assert described.description == "images a second [Hz]"
    assert described.floating_point_range[0].to_value == 30.0
    node.destroy_node()


def test_overrides_are_read_and_checked(ros_context: Any) -> None:
    overrides = [Parameter("cameras", value=["head", "wrist"]), Parameter("depth", value=0)]
    node = Talker(ros_context, {}, parameter_overrides=overrides)
    with pytest.raises(InvalidParameters, match=r"/talker: depth: .*greater than 0, found 0"):
        declare(node, Knobs)
    node.set_parameters([Parameter("depth", value=2)])
    assert declare(node, Knobs).cameras == ("head", "wrist")
    node.destroy_node()


def test_a_missing_parameter_is_told_in_one_short_line(ros_context: Any) -> None:
    node = Talker(ros_context, {})
    with pytest.raises(InvalidParameters) as refused:
        declare(node, Wanted)
    assert str(refused.value) == "parameters of /talker: model: must be set (what to load)"
    node.destroy_node()


def test_an_empty_list_of_words_can_be_given_words(ros_context: Any) -> None:
    node = Talker(ros_context, {}, parameter_overrides=[Parameter("pinned", value=["a"])])
    assert declare(node, Knobs).pinned == ("a",)
    assert node.set_parameters([Parameter("pinned", value=["b", "c"])])[0].successful
    assert declare(node, Knobs).pinned == ("b", "c")
    node.destroy_node()


def test_a_whole_number_is_a_number(ros_context: Any) -> None:
    node = Talker(ros_context, {}, parameter_overrides=[Parameter("rate", value=10)])
    assert declare(node, Knobs).rate == 10.0
    node.destroy_node()


def test_a_value_of_the_wrong_type_is_refused_by_name(ros_context: Any) -> None:
    node = Talker(ros_context, {}, parameter_overrides=[Parameter("rate", value="fast")])
    with pytest.raises(InvalidParameters, match="rate"):
        declare(node, Knobs)
    node.destroy_node()


def test_a_transition_that_the_state_does_not_have_is_refused_and_the_node_lives(
    ros_context: Any, spin_until: Any
) -> None:
    node, client = Talker(ros_context, {}), Node("client", context=ros_context)
    change = client.create_client(ChangeState, "/talker/change_state")
    spin_until([node, client], change.service_is_ready, 10.0)
    answers = []
    for asked in (
        Transition(id=Transition.TRANSITION_ACTIVATE),
        Transition(id=Transition.TRANSITION_CONFIGURE),
        Transition(id=Transition.TRANSITION_CONFIGURE),
        Transition(label="activate"),
        Transition(label="activate"),
        Transition(id=200),
        Transition(label="dance"),
    ):
        future = change.call_async(ChangeState.Request(transition=asked))
        spin_until([node, client], future.done, 10.0)
        answers.append(future.result().success)
    assert answers == [False, True, False, True, False, False, False]
    node.close()
    node.destroy_node()
    client.destroy_node()
