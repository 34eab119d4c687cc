"""ROS and the models' libraries are imported only where the design lets them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROS_NAMES = {"rclpy", "builtin_interfaces", "rcl_interfaces", "launch", "launch_ros", "openral_ros"}
ROS_PACKAGES = {
    "openral_ros",
    "openral_perception_ros",
    "openral_reasoner_ros",
    "openral_bringup",
    "openral_skills_ros",
    "openral_testing.detectors",
    "openral_testing.doctor",
    "openral_testing.machine",
    "openral_testing.robot_check",
    "openral_testing.security_policy",
    "openral_testing.skills",
    "openral_testing.weights",
    "openral_testing.weights_proof",
    "openral_household_benchmark",
    "openral_eval",
    "openral_mcp",
}
MODEL_NAMES = {"torch", "transformers", "onnxruntime", "tokenizers"}
ENGINES = "openral_perception_ros.engines"
# Run by hand in an engine's own environment, never by a node.
TOOLS = {
    "openral_testing.detectors.stub_vlm",
    "openral_testing.detectors.tiny_checkpoints",
    "openral_testing.detectors.tiny_vlm",
}
# Run in the environment of trainings, which the command starts without importing them.
TRAINING = "openral_training."
TRAINING_COMMAND = {
    f"openral_training.{name}" for name in ("cli", "detector.defaults", "detector.options", "environment")
}
WITHOUT_PYTORCH = (
    "openral_training.data.",
    "openral_training.homes.",
    "openral_training.maps.",
    "openral_training.perceive.",
    "openral_training.ros.lerobot_",
)
# Processes of their own, which a node talks to through a pipe.
WORKERS = {"openral_world_state.embeddings.worker"}


def modules() -> dict[str, Path]:
    """Every module of every package, by its dotted name."""
    manifests = (*ROOT.glob("*/setup.py"), *ROOT.glob("lab/*/setup.py"))
    tops = (manifest.parent for manifest in manifests)
    return {dotted(file, top): file for top in tops for file in sorted(top.glob("openral_*/**/*.py"))}


def dotted(file: Path, top: Path) -> str:
    parts = file.relative_to(top).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def is_ros(module: str) -> bool:
    top = module.split(".", maxsplit=1)[0]
    return top in ROS_NAMES or top.endswith("_msgs") or is_ros_folder(module)


def is_ros_folder(module: str) -> bool:
    return module.startswith("openral_") and "ros" in module.split(".")[1:]


def may_know_ros(module: str) -> bool:
    return is_ros_folder(module) or any(f"{module}.".startswith(f"{package}.") for package in ROS_PACKAGES)


MODULES = modules()


def test_a_pure_module_knows_no_ros() -> None:
    offenders = {
        module: ros
        for module, file in MODULES.items()
        if not may_know_ros(module) and (ros := [name for name in imports(file) if is_ros(name)])
    }
    assert not offenders


def may_load_models(module: str) -> bool:
    if module.startswith(TRAINING):
        return module not in TRAINING_COMMAND and not module.startswith(WITHOUT_PYTORCH)
    return module.startswith(ENGINES) or module in TOOLS | WORKERS


def test_only_an_engine_loads_a_model_library() -> None:
    offenders = {
        module: loaded
        for module, file in MODULES.items()
        if not may_load_models(module)
        and (loaded := [name for name in imports(file) if name.split(".")[0] in MODEL_NAMES])
    }
    assert not offenders


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("rclpy.node", True),
        ("sensor_msgs.msg", True),
        ("openral_sim.ros.node", True),
        ("openral_world_state.world.world_model", False),
        ("numpy", False),
    ],
)
def test_ros_is_recognised(module: str, expected: bool) -> None:
    assert is_ros(module) is expected


@pytest.mark.parametrize("module", sorted(TRAINING_COMMAND))
def test_the_command_of_trainings_imports_no_job(module: str) -> None:
    reached = {item for item in imports(MODULES[module]) if item.startswith(TRAINING)}
    assert reached <= TRAINING_COMMAND


@pytest.mark.parametrize("worker", sorted(WORKERS))
def test_nothing_imports_a_worker(worker: str) -> None:
    assert [name for name in MODULES if worker in imports(MODULES[name])] == []


def test_a_worker_and_its_engines_load_no_ros() -> None:
    waiting = [
        name for name in MODULES if name.startswith((ENGINES, "openral_perception_ros.inference.worker."))
    ]
    waiting.append("openral_perception_ros.inference.worker")
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [item for item in imports(MODULES[name]) if item in MODULES]
    ros = {
        item
        for name in reached
        for item in imports(MODULES[name])
        if is_ros(item) or item.startswith("ament_")
    }
    assert not ros, "an engine's environment has no ROS"
