"""The bring-up node on real DDS with real lifecycle nodes."""

from collections.abc import Callable
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy")
from pydantic import ValidationError

from openral_bringup.lifecycle_manager.node import BringupNode, BringupParameters
from openral_core.errors import OpenRALError
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.resources import ResourceScope

SpinUntil = Callable[..., None]


class NoWeights(OpenRALError):
    """An expected failure of an activation."""


class Peer(LifecycleNodeBase):
    """A node that counts its activations and may refuse them."""

    def __init__(self, name: str, context: Any, refuses: bool = False) -> None:
        super().__init__(name, context=context)
        self.activations = 0
        self.refuses = refuses

    def activate(self, scope: ResourceScope) -> None:
        self.activations += 1
        if self.refuses:
            raise NoWeights("run the fetch command")

    @property
    def state(self) -> str:
        return str(self._state_machine.current_state[1])


@pytest.fixture
def bringup(ros_domain: int) -> Any:
    names = ["0:/sim", "1:/eye"]
    arguments = ["--ros-args", "-p", f"nodes:={names}".replace("'", '"'), "-p", "back_off:=0.05"]
    rclpy.init(
        args=[*arguments, "-p", "poll:=0.1", "-p", "retries:=1", "-p", "heartbeat:=0.4", "-p", "absence:=3.0"]
    )
    node = BringupNode()
    yield node
    node.close()
    node.destroy_node()
    rclpy.try_shutdown()


def test_nodes_come_up_in_order_and_go_down_in_reverse(bringup: BringupNode, spin_until: SpinUntil) -> None:
    sim, eye = Peer("sim", bringup.context), Peer("eye", bringup.context)
    spin_until([bringup, sim, eye], lambda: (sim.state, eye.state) == ("active", "active"), 20.0)
    bringup.trigger_deactivate()
    spin_until([bringup, sim, eye], lambda: (sim.state, eye.state) == ("unconfigured", "unconfigured"), 20.0)
    sim.destroy_node()
    eye.destroy_node()


def test_a_deliberately_deactivated_node_stays_so_and_a_restarted_one_comes_back(
    bringup: BringupNode, spin_until: SpinUntil
) -> None:
    sim, eye = Peer("sim", bringup.context), Peer("eye", bringup.context)
    spin_until([bringup, sim, eye], lambda: (sim.state, eye.state) == ("active", "active"), 20.0)
    eye.trigger_deactivate()
    sim.close()
    sim.destroy_node()
    again = Peer("sim", bringup.context)
    spin_until([bringup, again, eye], lambda: again.state == "active", 20.0)
    assert (eye.state, eye.activations) == ("inactive", 1)
    again.destroy_node()
    eye.destroy_node()


def test_a_node_that_dies_right_after_it_was_deactivated_stays_out(
    bringup: BringupNode, spin_until: SpinUntil
) -> None:
    """As one that had to go for a skill's memory: no look at it came in between."""
    sim, eye = Peer("sim", bringup.context), Peer("eye", bringup.context)
    spin_until([bringup, sim, eye], lambda: (sim.state, eye.state) == ("active", "active"), 20.0)
    eye.trigger_deactivate()
    eye.close()
    eye.destroy_node()
    spin_until([bringup, sim], lambda: bringup._sequencer.peer("/eye").state is None, 20.0)
    again = Peer("eye", bringup.context)
    spin_until([bringup, sim, again], lambda: again.state in ("inactive", "active"), 20.0)
    spin_until(
        [bringup, sim, again], lambda: bringup._sequencer.peer("/eye").settled(bringup._retry_policy), 20.0
    )
    assert (again.state, again.activations) == ("inactive", 0)
    again.destroy_node()
    sim.destroy_node()


def test_a_node_that_refuses_is_left_alone_after_its_tries(
    bringup: BringupNode, spin_until: SpinUntil
) -> None:
    sim, eye = Peer("sim", bringup.context), Peer("eye", bringup.context, refuses=True)
    reported: list[Any] = []
    from openral_msgs.msg import FailureTrigger

    sim.create_subscription(FailureTrigger, "/openral/failure/bringup", reported.append, 10)
    spin_until([bringup, sim, eye], lambda: bool(reported), 20.0)
    assert (sim.state, eye.state, eye.activations) == ("active", "inactive", 2)
    assert reported[0].kind == "bringup_gave_up"
    assert "/eye" in reported[0].message
    sim.destroy_node()
    eye.destroy_node()


def test_a_node_that_stays_away_is_reported_once_and_the_others_go_on(
    bringup: BringupNode, spin_until: SpinUntil
) -> None:
    sim, eye = Peer("sim", bringup.context), Peer("eye", bringup.context)
    reported: list[Any] = []
    from openral_msgs.msg import FailureTrigger

    sim.create_subscription(FailureTrigger, "/openral/failure/bringup", reported.append, 10)
    spin_until([bringup, sim, eye], lambda: (sim.state, eye.state) == ("active", "active"), 20.0)
    eye.close()
    eye.destroy_node()
    spin_until([bringup, sim], lambda: bool(reported), 20.0)
    assert (reported[0].kind, reported[0].source, sim.state) == ("node_down", "/eye", "active")
    assert len(reported) == 1
    sim.destroy_node()


@pytest.mark.parametrize(
    "entry", ["sim", "0:", "first:/sim", "0:/a b", "0:/sim=active", "0:/" + "a" * 300, ""]
)
def test_entries_that_name_no_level_or_node_are_refused(entry: str) -> None:
    with pytest.raises(ValidationError, match=r"expected 'level:/name'"):
        BringupParameters.model_validate({"nodes": ("0:/sim", entry)})


def test_levels_are_ordered_by_number() -> None:
    given = BringupParameters.model_validate({"nodes": ("10:/reasoner", "9:/sim", "9:/world_state=inactive")})
    assert given.levels == (("/sim", "/world_state"), ("/reasoner",))
    assert given.inactive == {"/world_state"}
