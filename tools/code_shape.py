"""Measure the shape of the source tree, print it beside an earlier revision, and hold it to its ceilings.

    python3 tools/code_shape.py [--beside REVISION] [--json] [--list METRIC] [--check]

Only the standard library is used. Scope, the same for every column: the Python files of the packages that git
lists, without tests (folders `test` and `tests`, files `test_*.py`, `conftest.py`) and without `setup.py`.
Lines are all lines of a file. `TIERS` says which tier a package belongs to; packages of data
(`rskills`, `robots`, `scenes`) and of the underlay are not counted. Unless a row names a tier, it counts all.
"""

import argparse
import ast
import io
import json
import re
import statistics
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = ROOT / "tools" / "code_shape.toml"
TIERS: Mapping[str, tuple[str, ...]] = {
    "robot": (
        *("openral_core", "openral_msgs", "openral_ros", "openral_perception_ros", "openral_world_state"),
        *("openral_reasoner", "openral_reasoner_ros", "openral_skills_ros", "openral_bringup"),
        *("openral_recorder", "openral_console"),
    ),
    "optional": ("openral_sim", "openral_mapping"),
    "extras": (
        *("openral_mcp", "openral_testing", "openral_training", "openral_data", "openral_perceive"),
        *("openral_detector_conformance", "openral_skill_conformance", "openral_reasoner_testing"),
    ),
    "lab": (
        *("benchmarks", "openral_eval", "openral_household_benchmark", "openral_games", "openral_fleet"),
        "openral_lab",
    ),
}
"""Packages of each tier, also those that an earlier revision had; the default build is robot and optional."""
DEFAULT_BUILD = ("robot", "optional")
TIER_OF = {package: tier for tier, packages in TIERS.items() for package in packages}
INTERROGATIVES = frozenset(
    {"What", "Where", "Whether", "Which", "Who", "Whoever", "How", "Why", "Is", "When"}
)
PARTICIPLES = frozenset(
    {"asked", "done", "found", "given", "heard", "kept", "known", "left", "meant", "said", "seen", "told"}
    | {"tried", "waiting", "wanted"}
)
"""Participles that name nothing when they stand alone."""
ARRAYS = "openral_core.arrays"  # The one module that gives names to types of arrays.
SOURCES = (".py", "package.xml")
PACKAGE_NAME = re.compile(r"<name>\s*([\w-]+)\s*</name>")
REASON = re.compile(r"#|\[[^\]]+\]")
"""A comment on the line, or a unit in brackets in the docstring that follows it."""


@dataclass(frozen=True)
class Module:
    """One parsed Python file of a package."""

    path: PurePosixPath
    package: str
    name: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """Number of lines."""
        return len(self.text.splitlines())

    @property
    def is_package(self) -> bool:
        """Only re-exports."""
        return self.path.name == "__init__.py"

    @property
    def folder(self) -> str:
        """Dotted name of its folder."""
        return self.name if self.is_package else self.name.rpartition(".")[0]


def sources(root: Path, revision: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield (path, text) of modules and manifests of ``revision``; of the working tree if that is empty."""
    if revision:
        archive = subprocess.run(
            ["git", "-C", str(root), "archive", revision], stdout=subprocess.PIPE, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files:
                file = files.extractfile(member) if member.name.endswith(SOURCES) else None
                if file is not None:
                    yield PurePosixPath(member.name), file.read().decode()
        return
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", *(f"*{end}" for end in SOURCES)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()
    for path in map(PurePosixPath, listed):
        if (root / path).is_file():
            yield path, (root / path).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Tree:
    """Modules and packages of one revision."""

    modules: list[Module]
    packages: frozenset[str]


def read_tree(root: Path, revision: str = "") -> Tree:
    """Parse every module of a package of `TIERS`."""
    parsed: list[Module] = []
    packages: set[str] = set()
    for path, text in sources(root, revision):
        if path.name == "package.xml" and (match := PACKAGE_NAME.search(text)):
            packages.add(match[1])
        package = next((part for part in path.parts[:-1] if part in TIER_OF), None)
        if package is None or is_test(path) or path.name in {"setup.py", "package.xml"}:
            continue
        packages.add(package)
        dotted = ".".join(path.parts[len(path.parts) - 1 - path.parts[::-1].index(package) :])
        name = dotted.removesuffix(".py").removesuffix(".__init__")
        parsed.append(Module(path, package, name, text, ast.parse(text)))
    return Tree(parsed, frozenset(packages & TIER_OF.keys()))


def is_test(path: PurePosixPath) -> bool:
    """Test if a file is part of a test suite."""
    name = path.name
    return bool({"test", "tests"} & {*path.parts}) or name.startswith("test_") or name == "conftest.py"


def import_targets(module: Module) -> Iterator[str]:
    """Yield the dotted names that a module imports, as `module.name` where a name is taken from one."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def importers(product: list[Module]) -> dict[str, set[str]]:
    """Map each module to the product modules that import it, re-exports followed to their source."""
    by_name = {module.name for module in product}
    exports = {
        (module.name, alias.asname or alias.name): f"{node.module}.{alias.name}"
        for module in product
        if module.is_package
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    result: dict[str, set[str]] = defaultdict(set)
    for module in product:
        if module.is_package:
            continue
        for name in import_targets(module):
            target = name
            while (key := (target.rpartition(".")[0], target.rpartition(".")[2])) in exports:
                target = exports[key]
            source = target if target in by_name else target.rpartition(".")[0]
            if source in by_name and source != module.name:
                result[source].add(module.name)
    return result


def folder_cycles(product: list[Module]) -> list[str]:
    """List the groups of folders of one package that import each other, directly or in a circle."""
    folders = {module.name: module.folder for module in product}
    arrows: dict[str, set[str]] = defaultdict(set)
    for target, names in importers(product).items():
        for name in names:
            from_folder, to_folder = folders[name], folders[target]
            if from_folder != to_folder and from_folder.partition(".")[0] == to_folder.partition(".")[0]:
                arrows[from_folder].add(to_folder)
    reach = {folder: _reachable(folder, arrows) for folder in arrows}
    circles = {
        tuple(sorted(other for other in reach[folder] if folder in reach.get(other, ())))
        for folder in arrows
        if folder in reach[folder]
    }
    return [" ".join(circle) for circle in sorted(circles)]


def _reachable(folder: str, arrows: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    border = set(arrows.get(folder, ()))
    while border:
        reached |= border
        border = {target for other in border for target in arrows.get(other, ())} - reached
    return reached


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method."""
    return (
        node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def participles(module: Module) -> Iterator[str]:
    """Yield the places that bind a bare participle: arguments, variables and attributes."""
    for node in ast.walk(module.tree):
        match node:
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ) if name.strip("_") in PARTICIPLES:
                yield f"{module.path}:{node.lineno} {name}"


def array_aliases(module: Module) -> Iterator[str]:
    """Yield the aliases of array types that a module other than `ARRAYS` declares."""
    for node in module.tree.body:
        match node:
            case ast.Assign(value=ast.Subscript(value=ast.Name(id="NDArray"))):
                if module.name != ARRAYS:
                    yield f"{module.path}:{node.lineno}"


def docstrings(module: Module) -> Iterator[tuple[int, str]]:
    """Yield (line, docstring) of the module, its classes and its functions."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text


def unexplained_numbers(module: Module) -> Iterator[str]:
    """Yield numeric module constants without a comment, a docstring or a unit beside them."""
    lines = module.text.splitlines()
    for place, node in enumerate(module.tree.body):
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is None or not _is_number(value):
            continue
        after = module.tree.body[place + 1] if place + 1 < len(module.tree.body) else None
        has_docstring = (
            isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        )
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        has_comment = any(REASON.search(line) for line in lines[max(first - 1, 0) : last] if "#" in line)
        if not (has_docstring or has_comment):
            yield f"{module.path}:{node.lineno}"


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(_is_number, value.elts))
    if isinstance(value, ast.UnaryOp | ast.BinOp):
        parts = [child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr)]
        return all(map(_is_number, parts))
    return (
        isinstance(value, ast.Constant)
        and isinstance(value.value, int | float)
        and not isinstance(value.value, bool)
    )


def ambiguous_classes(product: list[Module]) -> list[str]:
    """List the class names that several modules define, with those modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in product:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(module.path))
    return [f"{name}: {', '.join(files)}" for name, files in sorted(places.items()) if len(files) > 1]


def measure(tree: Tree) -> dict[str, object]:
    """Measure everything; lists hold the places to look at."""
    product = tree.modules
    own = [module for module in product if not module.is_package]
    every = [function for module in own for function in functions(module)]
    names = [function.name for function in every if not function.name.startswith("__")]
    private = sum(name.startswith("_") for name in names)
    lengths = sorted((function.end_lineno or 0) - function.lineno + 1 for function in every)
    reached = importers(product)
    return {
        **_sizes(tree),
        "modules": len(own),
        "median file [lines]": statistics.median(module.lines for module in own),
        "largest file [lines]": max(module.lines for module in own),
        "function p90 [lines]": lengths[int(0.9 * len(lengths))],
        "private functions per public one": round(private / max(len(names) - private, 1), 2),
        "folder cycles": folder_cycles(product),
        "bare participles as names": [place for module in product for place in participles(module)],
        "array aliases outside their module": [place for m in own for place in array_aliases(m)],
        "class names with several meanings": ambiguous_classes(product),
        "modules with one importer": sorted(m.name for m in own if len(reached[m.name]) == 1),
        "docstrings that open as a question": [
            f"{module.path}:{line}"
            for module in product
            for line, text in docstrings(module)
            if text.split()[0].rstrip(",:") in INTERROGATIVES
        ],
        "numeric constants without unit or reason": [place for m in own for place in unexplained_numbers(m)],
    }


def _sizes(tree: Tree) -> dict[str, object]:
    """Count packages and lines per tier."""
    packages = Counter(TIER_OF[package] for package in tree.packages)
    lines = dict.fromkeys(TIERS, 0)
    for module in tree.modules:
        lines[TIER_OF[module.package]] += module.lines
    return {
        "packages, default build": sum(packages[tier] for tier in DEFAULT_BUILD),
        "packages, extras": packages["extras"],
        "packages, lab": packages["lab"],
        "lines, default build": sum(lines[tier] for tier in DEFAULT_BUILD),
        "lines, without sim and mapping": lines["robot"],
        "lines, extras": lines["extras"],
        "lines, lab": lines["lab"],
    }


def number(value: object) -> float:
    """Return the figure of a row: a number, or the length of its list."""
    return len(value) if isinstance(value, list) else float(str(value))


def excesses(table: Mapping[str, object], ceilings: Mapping[str, float]) -> list[str]:
    """List the rows above their ceiling, and ceilings that name no row."""
    return [
        f"{name}: {number(table[name]):g}, at most {ceiling:g}" if name in table else f"{name}: no such row"
        for name, ceiling in ceilings.items()
        if name not in table or number(table[name]) > ceiling
    ]


def unassigned_packages(root: Path) -> list[str]:
    """List the packages with Python modules that `TIERS` does not name."""
    folders = (file.parent for file in root.glob("**/package.xml") if "underlay" not in file.parts)
    names = {
        child.name
        for folder in folders
        for child in folder.glob("openral_*")
        if (child / "__init__.py").is_file() and not {"build", "install"} & set(child.parts)
    }
    return sorted(names - TIER_OF.keys())


def main() -> int:
    """Print the table, or the places behind one of its rows; 1 if a ceiling is exceeded."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", metavar="REVISION", default="", help="add the column of a revision")
    parser.add_argument("--json", action="store_true", help="print JSON, with every place")
    parser.add_argument(
        "--list", metavar="METRIC", default="", help="print the places behind the rows that contain this"
    )
    parser.add_argument("--check", action="store_true", help="fail if a row is above its ceiling")
    options = parser.parse_args()
    ceilings: dict[str, float] = tomllib.loads(CEILINGS.read_text()) if CEILINGS.is_file() else {}
    table = measure(read_tree(ROOT))
    if options.json:
        sys.stdout.write(json.dumps(table, indent=1) + "\n")
    elif not options.check:
        _print(table, measure(read_tree(ROOT, options.beside)) if options.beside else {}, ceilings, options)
    problems = excesses(table, ceilings) if options.check else []
    problems += [f"{name}: in no tier" for name in unassigned_packages(ROOT)] if options.check else []
    sys.stderr.writelines(f"code shape: {problem}\n" for problem in problems)
    return 1 if problems else 0


def _print(
    table: Mapping[str, object],
    earlier: Mapping[str, object],
    ceilings: Mapping[str, float],
    options: argparse.Namespace,
) -> None:
    """Print one row a metric: the earlier revision, this tree, the ceiling."""
    scope = "Python files of packages, without tests and setup.py; every tier unless the row names one"
    sys.stdout.write(
        f"{scope}\n{'':<42} {options.beside[:10] or '-':>10} {'this tree':>10} {'ceiling':>10}\n"
    )
    for name, value in table.items():
        before = f"{number(earlier[name]):g}" if name in earlier else "-"
        ceiling = f"{ceilings[name]:g}" if name in ceilings else "-"
        sys.stdout.write(f"{name:<42} {before:>10} {number(value):>10g} {ceiling:>10}\n")
        if options.list and options.list in name and isinstance(value, list):
            sys.stdout.writelines(f"    {place}\n" for place in value)


if __name__ == "__main__":
    sys.exit(main())
