"""The reach of a graph is the deployment's decision, not the environment's."""

from pathlib import Path

import pytest

from openral_core.discovery import (
    Discovery,
    InvalidDiscovery,
    apply_discovery,
    chosen_discovery,
    describe_discovery,
    is_bound_to_this_machine,
)

PROFILES = Path("/installed/dds")
LOOPBACK = PROFILES / "discovery.xml"
OPENING = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
    "ROS_STATIC_PEERS": "10.0.0.9",
    "ROS_DISCOVERY_SERVER": "10.0.0.9:11811",
    "ROS_LOCALHOST_ONLY": "0",
    "FASTDDS_ENVIRONMENT_FILE": "server.json",
}


def limited(**variables: str) -> dict[str, str]:
    environment = {**OPENING, **variables}
    apply_discovery(environment, chosen_discovery(environment), LOOPBACK)
    return environment


@pytest.mark.parametrize("range_", ["SUBNET", "SYSTEM_DEFAULT", "OFF", "", "nonsense"])
def test_a_graph_stays_on_this_machine_whatever_the_environment_has_set(range_: str) -> None:
    environment = limited(ROS_AUTOMATIC_DISCOVERY_RANGE=range_)
    assert environment == {
        "OPENRAL_DISCOVERY": "local",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "FASTRTPS_DEFAULT_PROFILES_FILE": str(LOOPBACK),
        "SKIP_DEFAULT_XML_FILE": "1",
    }
    assert is_bound_to_this_machine(environment, PROFILES)


def test_the_deployment_opens_it_with_its_peers_and_leaves_the_loopback_interface() -> None:
    environment = limited(
        OPENRAL_DISCOVERY="subnet",
        ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST",
        ROS_LOCALHOST_ONLY="1",
        FASTRTPS_DEFAULT_PROFILES_FILE=str(LOOPBACK),
    )
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"
    assert environment["ROS_STATIC_PEERS"] == "10.0.0.9"
    assert not {"ROS_LOCALHOST_ONLY", "FASTRTPS_DEFAULT_PROFILES_FILE"} & set(environment)
    assert describe_discovery(environment, PROFILES).startswith("subnet: every machine")


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ({"FASTRTPS_DEFAULT_PROFILES_FILE": "/home/me/mine.xml"}, "your Fast DDS profile /home/me/mine.xml"),
        ({"FASTDDS_DEFAULT_PROFILES_FILE": "/home/me/mine.xml"}, "your Fast DDS profile /home/me/mine.xml"),
        ({"RMW_IMPLEMENTATION": "rmw_zenoh_cpp"}, "as far as rmw_zenoh_cpp heeds"),
    ],
)
def test_a_middleware_of_the_users_own_is_kept_and_no_more_is_promised(
    own: dict[str, str], says: str
) -> None:
    environment = limited(**own)
    assert own.items() <= environment.items()
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert not is_bound_to_this_machine(environment, PROFILES)
    assert says in describe_discovery(environment, PROFILES)


def test_without_the_installed_profile_the_range_alone_is_named() -> None:
    environment: dict[str, str] = {}
    apply_discovery(environment, Discovery.LOCAL, None)
    assert "static peer can still join" in describe_discovery(environment, None)


def test_a_choice_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(InvalidDiscovery, match=r"OPENRAL_DISCOVERY='Subnet': .*'local', 'subnet'"):
        chosen_discovery({"OPENRAL_DISCOVERY": "Subnet"})
