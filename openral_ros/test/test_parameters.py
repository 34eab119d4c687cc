"""Parameters at run time: what is told to be set holds, or will hold when it is said to."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from pydantic import Field
from rclpy.parameter import Parameter

from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import Parameters, declare
from openral_ros.resources import ResourceScope


class Knobs(Parameters):
    """A few of each type."""

    rate: float = Field(5.0, gt=0.0, le=30.0, description="images a second [Hz]")
    slack: float = Field(0.5, description="without bounds [s]")
    depth: int = Field(4, gt=0, description="queue")
    approval: bool = Field(False, description="ask first")
    cameras: tuple[str, ...] = Field(("head",), description="ids")


class Knobbed(LifecycleNodeBase):
    """Reads its parameters when it is configured."""

    def configure(self, scope: ResourceScope) -> None:
        self.knobs = declare(self, Knobs)


@pytest.fixture
def node(ros_context: Any) -> Iterator[Knobbed]:
    made = Knobbed("knobbed", context=ros_context)
    made.trigger_configure()
    yield made
    made.close()
    made.destroy_node()


def put(node: Knobbed, name: str, value: object) -> Any:
    """As the parameter service does."""
    return node.set_parameters_atomically([Parameter(name, value=value)])


def test_an_active_node_refuses_what_would_change_nothing_and_says_what_to_do(node: Knobbed) -> None:
    node.trigger_activate()
    result = put(node, "approval", True)
    assert not result.successful
    assert "/knobbed is active" in result.reason
    assert "ros2 lifecycle set /knobbed cleanup" in result.reason
    assert node.get_parameter("approval").value is False


def test_an_inactive_node_takes_a_value_says_when_it_holds_and_then_has_it(node: Knobbed) -> None:
    node.trigger_activate()
    node.trigger_deactivate()
    result = put(node, "approval", True)
    assert result.successful
    assert "when /knobbed is configured again" in result.reason
    assert put(node, "rate", 7).successful
    assert not node.knobs.approval
    node.trigger_cleanup()
    node.trigger_configure()
    assert node.knobs.approval
    assert node.knobs.rate == 7.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate", -1.0),
        ("rate", 0.0),
        ("rate", "abc"),
        ("rate", float("nan")),
        ("rate", True),
        ("slack", float("inf")),
        ("slack", "fast"),
        ("depth", 0),
        ("approval", "maybe"),
        ("cameras", "head"),
    ],
)
def test_a_value_it_could_not_run_with_is_refused_when_it_is_set(
    node: Knobbed, name: str, value: object
) -> None:
    before = node.get_parameter(name).value
    assert not put(node, name, value).successful
    assert node.get_parameter(name).value == before
    node.trigger_cleanup()
    node.trigger_configure()
    assert node.knobs == Knobs()


def test_wrong_overrides_are_set_right_one_after_the_other(ros_context: Any) -> None:
    wrong = [Parameter("rate", value=-1.0), Parameter("depth", value=0)]
    node = Knobbed("knobbed", context=ros_context, parameter_overrides=wrong)
    node.trigger_configure()
    assert put(node, "rate", 2.0).successful
    assert not put(node, "depth", -3).successful
    assert put(node, "depth", 3).successful
    node.trigger_configure()
    assert (node.knobs.rate, node.knobs.depth) == (2.0, 3)
    node.close()
    node.destroy_node()


def test_parameters_of_ros_itself_are_nobody_elses_business(node: Knobbed) -> None:
    node.trigger_activate()
    assert put(node, "use_sim_time", True).successful
