"""Manifests name every package that is imported, and no other: `rosdep` and colcon rely on them alone."""

import ast
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
PIP_KEYS = frozenset(yaml.safe_load((ROOT / "requirements" / "rosdep.yaml").read_text()))
"""Keys of packages that Ubuntu 24.04 does not have: rosdep's own and those that this list adds."""

PLAIN = """
    anyio click fastapi hypothesis jinja2 jsonschema msgpack networkx numpy psutil pydantic pynvml pytest rich
    scipy trustme typer uvicorn websockets yaml zmq zstandard"""
KEYS = {
    **{name: f"python3-{name}" for name in PLAIN.split()},
    "PIL": "python3-pil",
    "annotated_types": "python3-annotated-types-pip",
    "anthropic": "python3-anthropic-pip",
    "axe_playwright_python": "python3-axe-playwright-python-pip",
    "confusable_homoglyphs": "python3-confusable-homoglyphs-pip",
    "cv2": "python3-opencv",
    "fast_simplification": "python3-fast-simplification-pip",
    "faster_coco_eval": "python3-faster-coco-eval-pip",
    "foxglove": "python3-foxglove-sdk-pip",
    "gguf": "python3-gguf-pip",
    "hassil": "python3-hassil-pip",
    "httpx2": "python3-httpx2-pip",
    "huggingface_hub": "python3-huggingface-hub-pip",
    "mcap": "python3-mcap-pip",
    "mcap_ros2": "python3-mcap-ros2-support-pip",
    "mcp": "python3-mcp-pip",
    "mink": "python3-mink-pip",
    "mujoco": "python3-mujoco-pip",
    "ompl": "python3-ompl-pip",
    "onnx": "python3-onnx-pip",
    "onnxruntime": "python3-onnxruntime-pip",
    "openai": "python3-openai-pip",
    "opentelemetry": "python3-opentelemetry-api-pip",
    "opentelemetry.sdk": "python3-opentelemetry-sdk-pip",
    "playwright": "python3-playwright-pip",
    "pydantic_core": "python3-pydantic",
    "rapidfuzz": "python3-rapidfuzz-pip",
    "rosbags": "python3-rosbags-pip",
    "tokenizers": "python3-tokenizers-pip",
    "typing_extensions": "python3-typing-extensions",
    "xdist": "python3-pytest-xdist",
}
"""rosdep's key of each module whose name is not its key."""
ENGINE = "an engine's own environment: docs/detectors.md, `openral install` and requirements/engines.txt"
OPTIONAL = {
    ("openral_bringup", "openral_sim"): "a real robot's bring-up works without the simulation",
    ("openral_bringup", "openral_mapping"): "a robot with SLAM of its own leaves the mapper out",
    ("openral_training", "ray"): "work on a cluster alone: requirements/cluster.txt",
    ("openral_ros", "openral_bringup"): "profiles of Fast DDS, which it uses where they are installed",
    ("openral_perception_ros", "grpc"): ENGINE,
    ("openral_perception_ros", "torch"): ENGINE,
    ("openral_perception_ros", "transformers"): ENGINE,
    ("openral_perception_ros", "tritonclient"): ENGINE,
    ("openral_testing", "grpc"): ENGINE,
    ("openral_testing", "torch"): ENGINE,
    ("openral_testing", "transformers"): ENGINE,
    ("openral_testing", "tritonclient"): ENGINE,
    ("openral_training", "lerobot"): "an environment of its own: make lerobot",
    ("openral_training", "onnx"): "an environment of its own: make training",
    ("openral_training", "torch"): "an environment of its own: make training",
    ("openral_training", "transformers"): "an environment of its own: make training",
}
"""Imports that a package does without, with the reason; tests declare those of ours nevertheless."""
USED_UNSEEN = {
    ("openral_bringup", "ros2launch"): "`ros2 launch` runs its launch files",
    ("openral_sim", "openral_testing"): "its conformance kit is a plugin of pytest in a process of its own",
}
"""Declarations that no import and no string shows, with the reason."""
BUILD_TOOLS = {"ament_cmake", "ament_cmake_pytest", "rosidl_default_generators", "rosidl_default_runtime"}
DATA_FOLDERS = {"rskills": "openral_rskills", "robots": "openral_robots", "scenes": "openral_scenes"}
LAZY = re.compile(r"lazy_module\('([\w.]+)'\)$")
"""Import of a library when it is first used: `cv2 = lazy_module("cv2")`."""
INTERFACE = re.compile(r"^([a-z]\w+)/(?:msg|srv|action)/\w+$")
"""Name of a type that is imported by it."""
RUN_TAGS, TEST_TAGS = frozenset({"depend", "exec_depend"}), frozenset({"test_depend"})


@dataclass(frozen=True)
class Use:
    """Names in the sources of one package: imports with the first file of each, and strings."""

    imports: dict[str, str]
    strings: frozenset[str]


@dataclass(frozen=True)
class Manifest:
    """One package.xml with the sources beside it."""

    folder: Path

    @cached_property
    def root(self) -> ET.Element:
        return ET.parse(self.folder / "package.xml").getroot()

    @cached_property
    def name(self) -> str:
        return self.root.findtext("name", "")

    def text(self, tag: str) -> str:
        return self.root.findtext(tag, "")

    def declared(self, tags: frozenset[str] | None = None) -> set[str]:
        """Return the declared keys, of all tags or of some."""
        return {
            (element.text or "").strip()
            for element in self.root
            if element.tag.endswith("depend") and (tags is None or element.tag in tags)
        }

    @cached_property
    def run_time(self) -> Use:
        files = (*self.folder.glob("openral_*/**/*.py"), *self.folder.glob("launch/*.launch.py"))
        return use_in(frozenset(files))

    @cached_property
    def tests(self) -> Use:
        """Return what its tests use, and what the modules of `tests/` that they import do."""
        files = set(self.folder.glob("test/**/*.py"))
        while True:
            helpers = {ROOT / "tests" / f"{module}.py" for module in use_in(frozenset(files)).imports}
            found = {file for file in helpers - files if file.exists()}
            if not found:
                return use_in(frozenset(files))
            files |= found


PACKAGES = [Manifest(manifest.parent) for manifest in sorted(ROOT.glob("*/package.xml"))]
EVERY_PACKAGE = [*PACKAGES, *(Manifest(file.parent) for file in sorted(ROOT.glob("lab/*/package.xml")))]
NAMES = frozenset(package.name for package in EVERY_PACKAGE)
TEST_SUPPORT = "openral_testing"
"""Its modules need what they test: it declares none of our packages, and each package's tests declare it."""
HELPERS = frozenset(file.stem for folder in ("tests", "tools") for file in (ROOT / folder).glob("*"))


@cache
def use_in(files: frozenset[Path]) -> Use:
    imports: dict[str, str] = {}
    strings: set[str] = set()
    for file in sorted(files):
        tree = ast.parse(file.read_text())
        for module in imported(tree):
            imports.setdefault(module, str(file.relative_to(ROOT)))
        strings |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    return Use(imports, frozenset(strings))


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield each imported module, those that are imported when first used too.

    So are those under TYPE_CHECKING, since annotations are read at run time.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Assign) and (match := LAZY.match(ast.unparse(node.value))):
            yield match[1]


def key_of(module: str) -> str | None:
    """The key an import asks for; None if Python itself provides the module."""
    top = module.split(".")[0]
    if top in sys.stdlib_module_names:
        return None
    second = ".".join(module.split(".")[:2])
    return KEYS.get(second) or KEYS.get(top) or top


def keys_of(package: Manifest, use: Use) -> dict[str, str]:
    """Return the keys that sources need, each with a file that needs it."""
    needed: dict[str, str] = {}
    for module, file in use.imports.items():
        key = key_of(module)
        if key in NAMES and package.name == TEST_SUPPORT:
            continue
        optional = (package.name, module.split(".")[0]) in OPTIONAL
        if key and key != package.name and (not optional or (key in NAMES and use == package.tests)):
            needed.setdefault(key, file)
    return needed


def needs_at_run_time(package: Manifest) -> dict[str, str]:
    """Return what a package imports, starts or reads, and the interfaces that it imports by name."""
    use = package.run_time
    needed = keys_of(package, use)
    for name in NAMES & use.strings - {package.name}:
        if (package.name, name) not in OPTIONAL and package.name != TEST_SUPPORT:
            needed.setdefault(name, f"string {name!r}")
    if any(module.split(".")[0] == "rclpy" for module in use.imports):
        matches = filter(None, map(INTERFACE.match, sorted(use.strings)))
        needed |= {match[1]: match[0] for match in matches if match[1] not in needed}
    needed.pop(package.name, None)
    return needed


def ours_of_support(use: Use) -> set[str]:
    """Return our packages that the imported modules of `TEST_SUPPORT` import, through others of it too."""
    files: set[Path] = set()
    imports = set(use.imports)
    while True:
        paths = {
            ROOT / TEST_SUPPORT / module.replace(".", "/") for module in imports if module != TEST_SUPPORT
        }
        paths = {path for path in paths if path.is_relative_to(ROOT / TEST_SUPPORT / TEST_SUPPORT)}
        modules = {file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py")}
        new = {file for file in modules - files if file.exists()}
        if not new:
            break
        files |= new
        imports = set(use_in(frozenset(files)).imports)
    tops = {module.split(".")[0] for module in use_in(frozenset(files)).imports}
    return tops & NAMES - {TEST_SUPPORT}


def needs_of_tests(package: Manifest) -> dict[str, str]:
    """Return what tests import and the data that they read from the folders beside the package."""
    use = package.tests
    data = {
        key: "a path in a test"
        for folder, key in DATA_FOLDERS.items()
        if any(text == folder or text.startswith(f"{folder}/") for text in use.strings)
    }
    ours = ours_of_support(use) if package.name != TEST_SUPPORT else ()
    support = dict.fromkeys(ours, f"{TEST_SUPPORT}, which a test imports")
    return {**support, **data, **keys_of(package, use)}


def names_it(package: Manifest, key: str, use: Use) -> bool:
    """Test if sources name a package in a string: an executable's, a share folder's."""
    return any(re.match(rf"{re.escape(key)}(\W|$)", text) for text in use.strings)


def undeclared(package: Manifest) -> Iterator[str]:
    run, every = package.declared(RUN_TAGS), package.declared()
    for key, file in needs_at_run_time(package).items():
        if key not in run:
            yield f"{package.name}: exec_depend {key} is missing ({file})"
    for key, file in needs_of_tests(package).items():
        if key not in every | HELPERS | {package.name}:
            yield f"{package.name}: test_depend {key} is missing ({file})"


def unused(package: Manifest) -> Iterator[str]:
    run, tests = package.run_time, package.tests
    if not run.imports:
        return
    needed, needed_by_tests = set(needs_at_run_time(package)), set(needs_of_tests(package))
    for key in sorted(package.declared(RUN_TAGS) - needed):
        if (package.name, key) in USED_UNSEEN or (key in NAMES and names_it(package, key, run)):
            continue
        yield f"{package.name}: exec_depend {key} is not used" + " by anything but tests" * (
            key in needed_by_tests
        )
    for key in sorted(package.declared(TEST_TAGS) - needed_by_tests):
        if (package.name, key) not in USED_UNSEEN and not names_it(package, key, tests):
            yield f"{package.name}: test_depend {key} is not used"


def test_every_import_is_declared_and_every_declaration_used() -> None:
    offenders = [line for package in PACKAGES for line in (*undeclared(package), *unused(package))]
    assert offenders == []


def test_every_dependency_is_a_key_that_exists() -> None:
    """A name of ours, a key of rosdep, a key of our own list, or a ROS package."""
    known = set(KEYS.values()) | BUILD_TOOLS
    offenders = [
        f"{package.name}: {key}"
        for package in PACKAGES
        for key in sorted(package.declared())
        if key.startswith("python") or key.endswith("-pip")
        if key not in known or (key.endswith("-pip") and key not in PIP_KEYS)
    ]
    assert offenders == []


def test_own_keys_are_used() -> None:
    assert PIP_KEYS - set(KEYS.values()) == set()


def test_colcon_can_order_the_packages() -> None:
    """It counts dependencies of tests too."""
    TopologicalSorter({package.name: package.declared() for package in EVERY_PACKAGE}).prepare()


def test_no_dependency_is_declared_twice() -> None:
    offenders = [
        f"{package.name}: {key}"
        for package in PACKAGES
        for key in package.declared()
        if sum((tag.text or "").strip() == key for tag in package.root if tag.tag.endswith("depend")) > 1
    ]
    assert offenders == []


def test_names_and_files_are_those_of_the_package() -> None:
    offenders = [
        str(file.relative_to(ROOT))
        for package in EVERY_PACKAGE
        if (setup := package.folder / "setup.py").exists()
        for file in (
            package.folder / "resource" / package.name,
            package.folder / package.name / "py.typed",
            setup,
        )
        if not file.exists() or (file == setup and f'NAME = "{package.name}"' not in setup.read_text())
    ]
    assert offenders == []


def metadata(package: Manifest) -> Iterator[tuple[str, str | None]]:
    """Yield what must be equal in all packages: element or argument and its text."""
    for tag in ("version", "license", "url", "author", "maintainer"):
        element = package.root.find(tag)
        yield tag, None if element is None else element.text
    setup = package.folder / "setup.py"
    for argument in ("version", "license", "url", "author", "maintainer") if setup.exists() else ():
        match = re.search(rf'^    {argument}="(.*)",$', setup.read_text(), re.MULTILINE)
        yield argument, match and match[1]


def test_version_licence_and_url_are_equal_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    wanted = {
        "version": citation["version"],
        "license": citation["license"],
        "url": citation["url"],
        "author": citation["authors"][0]["name"],
        "maintainer": citation["authors"][0]["name"],
    }
    offenders = [
        f"{package.name}: {tag} {text!r}, not {wanted[tag]!r}"
        for package in EVERY_PACKAGE
        for tag, text in metadata(package)
        if text != wanted[tag]
    ]
    assert offenders == []
    assert f"## {wanted['version']} (" in (ROOT / "CHANGELOG.md").read_text()


def test_every_package_has_the_licence_and_none_can_be_uploaded() -> None:
    """The package index refuses this classifier; docs/decisions/0017-names.md says why it is there."""
    licence = (ROOT / "LICENSE").read_bytes()
    offenders = []
    for package in EVERY_PACKAGE:
        named, setup = package.root.find("license"), package.folder / "setup.py"
        if named is None or named.get("file") != "LICENSE":
            offenders.append(f"{package.name}: package.xml names no licence file")
        if (package.folder / "LICENSE").read_bytes() != licence:
            offenders.append(f"{package.name}: LICENSE")
        if setup.exists() and "Private :: Do Not Upload" not in setup.read_text():
            offenders.append(f"{package.name}: setup.py lacks 'Private :: Do Not Upload'")
    assert offenders == []


def test_readme_and_changelog_are_those_of_the_package() -> None:
    offenders = []
    for package in EVERY_PACKAGE:
        changelog = (package.folder / "CHANGELOG.rst").read_text()
        if not (package.folder / "README.md").read_text().startswith(f"# {package.name}\n"):
            offenders.append(f"{package.name}: README.md")
        if f"Changelog for package {package.name}\n" not in changelog:
            offenders.append(f"{package.name}: title of CHANGELOG.rst")
        if not re.search(rf"^{re.escape(package.text('version'))} \(.+\)\n-+$", changelog, re.MULTILINE):
            offenders.append(f"{package.name}: version in CHANGELOG.rst")
    assert offenders == []


def test_the_tests_of_every_package_are_run() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    packages = {str(folder.relative_to(ROOT)) for folder in ROOT.glob("*/test") if folder.is_dir()}
    assert packages - set(options["testpaths"]) == set(), "add to testpaths in pyproject.toml"
