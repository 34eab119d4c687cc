"""Tests of where ROS 2 is taken from."""

from pathlib import Path

from workspace.ros_sources import find_ros


def install_ros(prefix: Path, *packages: str) -> Path:
    for package in ("rclpy", *packages):
        manifest = prefix / "share" / package / "package.xml"
        manifest.parent.mkdir(parents=True)
        manifest.touch()
    (prefix / "setup.sh").touch()
    return prefix


def test_wheels_serve_where_the_system_has_no_ros(tmp_path: Path) -> None:
    ros = find_ros({}, default=tmp_path)
    assert not ros.is_system
    assert ros.setup_file is None
    assert not ros.provides("vision_msgs")


def test_an_installed_ros_is_used_without_being_sourced(tmp_path: Path) -> None:
    ros = find_ros({}, default=install_ros(tmp_path, "vision_msgs"))
    assert ros.is_system
    assert ros.provides("vision_msgs")
    assert not ros.provides("tf2_msgs")


def test_a_sourced_ros_goes_before_the_usual_place(tmp_path: Path) -> None:
    sourced, usual = install_ros(tmp_path / "sourced"), install_ros(tmp_path / "usual")
    ros = find_ros({"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": f"/overlay:{sourced}"}, default=usual)
    assert ros.prefix == sourced


def test_another_distribution_is_not_mixed_in(tmp_path: Path) -> None:
    humble = install_ros(tmp_path / "humble")
    ros = find_ros({"ROS_DISTRO": "humble", "AMENT_PREFIX_PATH": str(humble)}, default=tmp_path / "none")
    assert not ros.is_system
