"""Manifests name every package that is imported: `rosdep` and colcon rely on them alone."""

import ast
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# rosdep's keys on Ubuntu 24.04. A key ending in -pip has no Ubuntu package and is installed with pip.
ROSDEP_KEYS = {
    "PIL": "python3-pil",
    "cv2": "python3-opencv",
    "msgpack": "python3-msgpack",
    "networkx": "python3-networkx",
    "numpy": "python3-numpy",
    "opentelemetry": "python3-opentelemetry-api-pip",
    "opentelemetry.sdk": "python3-opentelemetry-sdk-pip",
    "psutil": "python3-psutil",
    "pytest": "python3-pytest",
    "pydantic": "python3-pydantic",
    "pydantic_core": "python3-pydantic",
    "rich": "python3-rich",
    "scipy": "python3-scipy",
    "typer": "python3-typer",
    "typing_extensions": "python3-typing-extensions",
    "yaml": "python3-yaml",
    "zmq": "python3-zmq",
    "websockets": "python3-websockets",
}
# No rosdep key: from requirements/ alone. torch and transformers belong to an engine's own environment.
WITHOUT_KEY = {
    "annotated_types",
    "anthropic",
    "anyio",
    "fast_simplification",
    "faster_coco_eval",
    "fastapi",
    "foxglove",
    "grpc",
    "httpx2",
    "huggingface_hub",
    "inspect_ai",
    "lerobot",
    "mcap",
    "mcp",
    "mink",
    "mujoco",
    "ompl",
    "onnx",
    "onnxruntime",
    "openai",
    "playwright",
    "pynvml",
    "confusable_homoglyphs",
    "rapidfuzz",
    "ray",
    "rosbags",
    "textworld_express",
    "tokenizers",
    "torch",
    "transformers",
    "tritonclient",
    "uvicorn",
    "zstandard",
}
TOOLS = {"ament_cmake", "python3-pytest", "python3-hypothesis", "domain_coordinator"}

MANIFESTS = sorted((*ROOT.glob("*/package.xml"), *ROOT.glob("lab/*/package.xml")))
PACKAGES = [manifest.parent for manifest in MANIFESTS if (manifest.parent / "setup.py").exists()]


def depends(package: Path) -> set[str]:
    """Everything that a package declares, for its tests too."""
    root = ET.parse(package / "package.xml").getroot()
    return {(tag.text or "").strip() for tag in root if tag.tag.endswith("depend")}


def depends_to_run(package: Path) -> set[str]:
    """Return the dependencies that a package is installed with, without those of its tests alone."""
    root = ET.parse(package / "package.xml").getroot()
    return {(tag.text or "").strip() for tag in root if tag.tag in ("depend", "exec_depend")}


def name(package: Path) -> str:
    return ET.parse(package / "package.xml").getroot().findtext("name", "")


def imports(package: Path) -> Iterator[str]:
    for file in (*package.glob("openral_*/**/*.py"), *package.glob("launch/*.launch.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""


def needed(module: str) -> str | None:
    """The dependency an import asks for; None if Python or a wheel without a key provides it."""
    top = module.split(".")[0]
    if top in sys.stdlib_module_names or top in WITHOUT_KEY:
        return None
    second = ".".join(module.split(".")[:2])
    return ROSDEP_KEYS.get(second) or ROSDEP_KEYS.get(top) or top


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_import_is_declared(package: Path) -> None:
    wanted = {dependency for module in imports(package) if (dependency := needed(module))}
    assert wanted - depends_to_run(package) - {name(package)} == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_dependency_is_a_key_that_exists(package: Path) -> None:
    keys = {key for key in depends(package) if key.startswith("python")}
    assert keys <= set(ROSDEP_KEYS.values()) | TOOLS


def test_colcon_can_order_the_packages() -> None:
    """It counts dependencies of tests too: tests of what `openral_testing` needs do not declare it."""
    folders = [manifest.parent for manifest in MANIFESTS]
    order = list(TopologicalSorter({name(folder): depends(folder) for folder in folders}).static_order())
    assert order.index("openral_core") < order.index("openral_testing")


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.parent.name)
def test_no_dependency_is_declared_twice(manifest: Path) -> None:
    tags = [(tag.tag, tag.text) for tag in ET.parse(manifest).getroot() if tag.tag.endswith("depend")]
    assert sorted(tags) == sorted(set(tags))


def test_who_runs_the_launch_file_gets_the_command_for_it() -> None:
    assert "ros2launch" in depends(ROOT / "launch")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_names_and_versions_agree(package: Path) -> None:
    root = ET.parse(package / "package.xml").getroot()
    setup = (package / "setup.py").read_text()
    assert f'NAME = "{name(package)}"' in setup
    assert f'version="{root.findtext("version")}"' in setup
    assert (package / "resource" / name(package)).exists()
    assert (package / name(package) / "py.typed").exists()


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.parent.name)
def test_readme_and_changelog_are_those_of_the_package(manifest: Path) -> None:
    root = ET.parse(manifest).getroot()
    name, version = root.findtext("name", ""), root.findtext("version", "")
    assert (manifest.parent / "README.md").read_text().startswith(f"# {name}\n")
    changelog = (manifest.parent / "CHANGELOG.rst").read_text()
    assert f"Changelog for package {name}\n" in changelog
    assert re.search(rf"^{re.escape(version)} \(.+\)\n-+$", changelog, re.MULTILINE)


def test_the_tests_of_every_package_are_run() -> None:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["testpaths"]
    packages = {str(folder.relative_to(ROOT)) for folder in ROOT.glob("*/test") if folder.is_dir()}
    assert packages <= set(found), "add to testpaths in pyproject.toml"
