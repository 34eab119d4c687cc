"""Imports of the process of each node at rest: memory and start-up time of a small computer."""

import subprocess
import sys

import pytest

OF_IMAGES, OF_NUMBERS = {"cv2"}, {"scipy.optimize", "scipy.spatial", "scipy.ndimage", "scipy.sparse"}
OF_MODELS = {
    "torch",
    "onnxruntime",
    "transformers",
    "huggingface_hub",
    "httpx",
    "httpx2",
    "openai",
    "anthropic",
}
OF_SIMULATION, OF_TERMINALS = {"mujoco", "mink"}, {"rich", "typer", "tqdm"}
OTHERS = {"networkx", "pandas", "pynvml", "matplotlib", "PIL", "asyncio"}
HEAVY = OF_IMAGES | OF_NUMBERS | OF_MODELS | OF_SIMULATION | OF_TERMINALS | OTHERS
NODES = {
    "openral_bringup.lifecycle_manager.node": {"opentelemetry"},
    "openral_perception_ros.node": {"scipy"},
    "openral_reasoner_ros.node": {"scipy"},
    "openral_skills_ros.node": set[str](),
    "openral_world_state.ros.node": set[str](),
    "openral_skills_ros.backends.moveit": set[str](),
}
"""Modules of nodes, and of what they import at rest, with the libraries that each alone must not import."""


@pytest.mark.parametrize("module", NODES)
def test_a_node_imports_no_library_that_it_does_not_need_at_rest(module: str) -> None:
    if module.endswith("moveit"):
        pytest.importorskip("moveit_msgs")
    code = f"import sys, {module}; print(*sorted({HEAVY | NODES[module]!r} & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60.0, check=True
    )
    assert found.stdout.split() == []
