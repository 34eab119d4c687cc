"""One detector, started by hand in whatever namespace: its names, its rSkills, what it says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rclpy.context import Context
from rclpy.parameter import Parameter

from openral_core.errors import OpenRALError
from openral_perception_ros.node import DetectorNode
from openral_perception_ros.parameters import DetectorParameters
from openral_ros import rskill_folders
from openral_ros.parameters import InvalidParameters, declare

Lone = Callable[..., DetectorNode]


@pytest.fixture
def lone(ros_context: Context, rskills: Path) -> Any:
    made: list[DetectorNode] = []

    def make(namespace: str, remaps: tuple[str, ...] = (), **parameters: object) -> DetectorNode:
        chosen = {"rskill": "sim-groundtruth", "cameras": ["left"], **parameters}
        made.append(
            DetectorNode(
                "detector",
                context=ros_context,
                namespace=namespace,
                cli_args=["--ros-args", *(word for remap in remaps for word in ("-r", remap))],
                parameter_overrides=[Parameter(name, value=value) for name, value in chosen.items()],
            )
        )
        return made[-1]

    yield make
    for node in made:
        node.close()
        node.destroy_node()


def up(node: DetectorNode) -> set[str]:
    """The topics of a node that was made active."""
    node.trigger_configure()
    node.trigger_activate()
    subscribed = node.get_subscriber_names_and_types_by_node(node.get_name(), node.get_namespace())
    published = node.get_publisher_names_and_types_by_node(node.get_name(), node.get_namespace())
    return {name for name, _ in (*subscribed, *published)}


@pytest.mark.parametrize(
    ("namespace", "robot"),
    [
        ("/openral/perception/sim_groundtruth", ""),
        ("/robot1/openral/perception/sim_groundtruth", "/robot1"),
        ("/custom/eyes", "/custom/eyes"),
        ("/", ""),
    ],
)
def test_cameras_and_failures_lie_below_the_robots_namespace(
    lone: Lone, rskills: Path, namespace: str, robot: str
) -> None:
    topics = up(lone(namespace, rskill_folders=[str(rskills)]))
    assert {f"{robot}/left/image_raw", f"{robot}/left/semantic", f"{robot}/left/labels"} <= topics
    assert f"{robot}/openral/failure/sim_groundtruth" in topics


def test_a_relative_remap_of_a_camera_holds(lone: Lone, rskills: Path) -> None:
    remap = "left/image_raw:=/head/image_raw"
    topics = up(lone("/custom/eyes", (remap,), rskill_folders=[str(rskills)]))
    assert "/head/image_raw" in topics
    assert "/custom/eyes/left/image_raw" not in topics


def test_without_a_folder_the_installed_rskills_are_meant(
    lone: Lone, rskills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rskill_folders, "get_package_share_directory", lambda name: str(rskills))
    assert lone("/custom/eyes").trigger_configure().name == "SUCCESS"


def test_without_a_folder_and_nothing_installed_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", "/none")
    with pytest.raises(OpenRALError, match="set rskill_folders"):
        rskill_folders.rskill_folders(())


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("rskill", "nonsense", "nonsense"),
        ("cameras", ["no head"], "expected 'id'"),
        ("cameras", ["head", "head"], "duplicate"),
        ("device", "cuda:99", "this machine has"),
        ("device", "gpu", "expected cpu"),
    ],
)
def test_a_value_that_names_nothing_is_refused_when_it_is_set(
    lone: Lone, rskills: Path, name: str, value: object, reason: str
) -> None:
    node = lone("/custom/eyes", rskill_folders=[str(rskills)])
    node.trigger_configure()
    (result,) = node.set_parameters([Parameter(name, value=value)])
    assert not result.successful
    assert reason in result.reason
    (result,) = node.set_parameters([Parameter("rate", value=5.0)])
    assert result.successful


def test_a_missing_rskill_is_told_in_one_short_line(ros_context: Context) -> None:
    node = DetectorNode("detector", context=ros_context, namespace="/custom/eyes")
    with pytest.raises(InvalidParameters) as refused:
        declare(node, DetectorParameters)
    node.destroy_node()
    assert "rskill: must be set (detector to run:" in str(refused.value)
    assert len(str(refused.value)) < 200
