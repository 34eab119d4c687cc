"""Installed `ros2` runs in the interpreter of the system: `. install/env.sh` must suffice for it.

The installed ROS is a stand-in prefix: packages of the ROS wheels, linked, and a `ros2` that loads the launch
file as `ros2 launch` does. `launch` and `launch_ros` are the real ones where installed, else recorders.
"""

import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
from workspace.environments import PLAIN_PATH, ros_environment, write_environment_file
from workspace.paths import Layout
from workspace.ros_sources import RosSource, find_ros

ROOT = Path(__file__).parents[1]
BUILT = Layout(ROOT)
PYTHON = "python{}.{}".format(*sys.version_info[:2])
NODES = {"sim", "detector", "world_state", "reasoner", "bringup"}

pytestmark = pytest.mark.skipif(
    find_ros().is_system,
    reason="ROS 2 is installed here: tests/graph/test_launch_file.py launches it for real",
)

ROS2 = """#!{python}
import importlib.util, sys
sys.path.append("{debian}")
assert sys.prefix == sys.base_prefix, "the system's interpreter runs ros2"
from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext
words = dict(word.split(":=", 1) for word in sys.argv[4:])
file = get_package_share_directory(sys.argv[2]) + "/launch/" + sys.argv[3]
spec = importlib.util.spec_from_file_location("launched", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
context = LaunchContext()
context.launch_configurations.update(words)
def visit(entities):
    for each in entities:
        if hasattr(each, "_Node__node_name") or hasattr(each, "node_name"):
            print("node", getattr(each, "_Node__node_name", None) or each.node_name)
        else:
            visit(each.visit(context) or [])
visit(module.generate_launch_description().entities)
import rclpy, yaml, pydantic
for each in (rclpy, yaml, pydantic):
    print("from", each.__name__, each.__file__)
"""
LAUNCH = """
import os
class LaunchContext:
    def __init__(self):
        self.environment = dict(os.environ)
        self.launch_configurations = {}
class LaunchDescription:
    def __init__(self, entities):
        self.entities = entities
"""
ACTIONS = """
class Action:
    def visit(self, context):
        return None
class DeclareLaunchArgument(Action):
    def __init__(self, name, *, default_value, description, choices=None):
        self.name, self.default = name, default_value
    def visit(self, context):
        context.launch_configurations.setdefault(self.name, self.default)
class LogInfo(Action):
    def __init__(self, *, msg):
        print("info", msg)
class OpaqueFunction(Action):
    def __init__(self, *, function):
        self.function = function
    def visit(self, context):
        return self.function(context)
"""
SUBSTITUTIONS = """
class LaunchConfiguration:
    def __init__(self, name):
        self.name = name
    def perform(self, context):
        return context.launch_configurations[self.name]
"""
NODE = """
class Node:
    def __init__(self, *, package, executable, name, **rest):
        self.node_name = name
"""
STUBS = {
    "launch/__init__.py": LAUNCH,
    "launch/actions.py": ACTIONS,
    "launch/substitutions.py": SUBSTITUTIONS,
    "launch_ros/__init__.py": "",
    "launch_ros/actions.py": NODE,
}


def interpreters() -> list[str]:
    """Plain interpreters that can load the built packages: the system's, the one below this environment."""
    found = [shutil.which(PYTHON, path=PLAIN_PATH), str(Path(sys.base_prefix, "bin", PYTHON))]
    return [path for path in dict.fromkeys(found) if path and Path(path).exists()]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A stand-in for /opt/ros/jazzy: ROS's Python packages, a setup.sh; beside it Ubuntu's old pydantic."""
    prefix = tmp_path / "opt" / "ros"
    packages = prefix / "lib" / PYTHON / "site-packages"
    packages.mkdir(parents=True)
    for name, owners in packages_distributions().items():
        found = find_spec(name) if any(owner.startswith("ros-") for owner in owners) else None
        if found is not None and found.origin and found.submodule_search_locations:
            (packages / name).symlink_to(Path(found.origin).parent)
    if find_spec("launch_ros") is None:
        write(packages, STUBS)
    write(tmp_path / "dist-packages", {"pydantic/__init__.py": "import pydantic_core_of_nobody\n"})
    of_wheels = ros_environment(BUILT, RosSource(None))
    lines = [f"export LD_LIBRARY_PATH={of_wheels['LD_LIBRARY_PATH']}", "export ROS_DISTRO=jazzy"]
    lines += [
        f"export AMENT_PREFIX_PATH={prefix}:{of_wheels['AMENT_PREFIX_PATH']}",
        f"export PYTHONPATH={packages}",
    ]
    lines += [f"export PATH={prefix}/bin:$PATH"]
    write(prefix, {"setup.sh": "\n".join(lines) + "\n", "share/rclpy/package.xml": ""})
    return prefix


@pytest.fixture
def layout(tmp_path: Path, prefix: Path) -> Layout:
    """This checkout's build as one made on that machine."""
    layout = Layout(tmp_path / "checkout")
    layout.install.mkdir(parents=True)
    layout.venv.symlink_to(BUILT.venv.resolve())
    layout.build.symlink_to(BUILT.build)
    for path in BUILT.install.iterdir():
        if path != BUILT.environment_file:
            (layout.install / path.name).symlink_to(path)
    write_environment_file(layout, RosSource(prefix))
    return layout


def launch(layout: Layout, prefix: Path, python: str, *words: str) -> subprocess.CompletedProcess[str]:
    entry = prefix / "bin" / "ros2"
    write(prefix, {"bin/ros2": ROS2.format(python=python, debian=prefix.parents[1] / "dist-packages")})
    entry.chmod(0o755)
    script = '. "$0"; exec ros2 launch openral_bringup sim_e2e.launch.py "$@"'
    command = ["/bin/sh", "-c", script, str(layout.environment_file), *words]
    env = {
        "PATH": PLAIN_PATH,
        "HOME": os.environ.get("HOME", "/"),
        "ROS_DOMAIN_ID": os.environ["ROS_DOMAIN_ID"],
    }
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.parametrize("python", interpreters())
def test_the_launch_file_runs_in_the_systems_interpreter(
    layout: Layout, prefix: Path, python: str, ros_domain: int
) -> None:
    done = launch(layout, prefix, python, "scene:=home")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert {line[1] for line in lines if line[0] == "node"} == NODES
    assert any(line[0] == "info" and line[1] == "sim:" for line in lines), "how images leave sim is told"
    origins = {line[1]: line[2] for line in lines if line[0] == "from"}
    assert origins["rclpy"].startswith(str(prefix)), "the environment shadows ROS's own packages"
    assert origins["pydantic"].startswith(str(layout.venv)), "the system's pydantic is too old"


def test_what_is_missing_or_wrong_is_told_before_anything_starts(
    layout: Layout, prefix: Path, tmp_path: Path, ros_domain: int
) -> None:
    words = (
        "continuous:=rtdetr-coco-r18",
        f"weights_dir:={tmp_path}",
        "gpu_budget_mb:=lots",
        "namespace:=robot1",
    )
    done = launch(layout, prefix, interpreters()[0], *words)
    assert done.returncode != 0
    assert "node" not in done.stdout
    for line in ("openral weights fetch rtdetr", "gpu_budget_mb:=lots: ", "namespace:=robot1: "):
        assert line in done.stderr


def test_wheels_of_another_python_are_not_offered_to_ros2(layout: Layout, prefix: Path) -> None:
    (prefix / "lib" / PYTHON).rename(prefix / "lib" / "python3.99")
    write_environment_file(layout, RosSource(prefix))
    assert str(layout.venv / "lib") not in pythonpath(layout)


def test_the_callers_overlays_come_before_the_environments_packages(layout: Layout) -> None:
    entries = pythonpath(layout, "/overlay/site-packages").split(":")
    assert entries.index("/overlay/site-packages") < entries.index(str(packages_of(layout)))


def test_no_package_of_the_environment_has_the_name_of_a_standard_module(layout: Layout) -> None:
    """On PYTHONPATH it comes before the standard library."""
    offered = {path.name.partition(".")[0] for path in packages_of(layout).iterdir()}
    assert not offered & sys.stdlib_module_names


def packages_of(layout: Layout) -> Path:
    return layout.venv / "lib" / PYTHON / "site-packages"


def pythonpath(layout: Layout, callers: str = "") -> str:
    script = '. "$0"; printf %s "$PYTHONPATH"'
    env = {"PATH": PLAIN_PATH} | ({"PYTHONPATH": callers} if callers else {})
    command = ["/bin/sh", "-c", script, str(layout.environment_file)]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=20).stdout
