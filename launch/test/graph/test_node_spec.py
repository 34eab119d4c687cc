"""Specification of a node: its names, its entry in bring-up's list and its environment."""

import pytest

from openral_bringup.graph.node_spec import NodeSpec

DETECTOR = NodeSpec("detector", "openral_perception_ros", "detector", "/robot1/openral/perception/finder", 1)


@pytest.mark.parametrize(
    ("namespace", "qualified"), [("", "/sim"), ("/", "/sim"), ("/robot1", "/robot1/sim"), ("/a/", "/a/sim")]
)
def test_a_qualified_name_has_exactly_one_slash_between_its_parts(namespace: str, qualified: str) -> None:
    assert NodeSpec("sim", "openral_sim", "sim", namespace).qualified == qualified


def test_a_detector_is_addressed_by_its_slug_and_any_other_node_by_its_name() -> None:
    assert DETECTOR.key == "finder"
    assert NodeSpec("sim", "openral_sim", "sim", "/robot1").key == "sim"


def test_bring_up_is_given_the_level_and_the_state_to_start_in() -> None:
    asleep = NodeSpec("sim", "openral_sim", "sim", level=0, awake=False)
    assert DETECTOR.managed_as == "1:/robot1/openral/perception/finder/detector"
    assert asleep.managed_as == "0:/sim=inactive"


def test_further_parameters_leave_the_original_node_unchanged() -> None:
    first = NodeSpec("sim", "openral_sim", "sim", parameters={"seed": 1, "shadows": True})
    second = first.with_parameters({"seed": 2, "rate": 5.0})
    assert second.parameters == {"seed": 2, "shadows": True, "rate": 5.0}
    assert first.parameters == {"seed": 1, "shadows": True}


def test_only_its_own_secrets_reach_a_node_and_its_variables_win() -> None:
    given = {"PATH": "/bin", "VENDOR_API_KEY": "secret", "OTHER_API_KEY": "secret", "ROS_DOMAIN_ID": "1"}
    node = NodeSpec("reasoner", "p", "e", variables={"ROS_DOMAIN_ID": "2"}, own=("VENDOR_*",))
    assert node.environment(given) == {"PATH": "/bin", "VENDOR_API_KEY": "secret", "ROS_DOMAIN_ID": "2"}
    assert "VENDOR_API_KEY" not in DETECTOR.environment(given)
