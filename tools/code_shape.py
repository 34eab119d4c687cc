"""Measure the shape of the source tree and print it as a table.

    python3 tools/code_shape.py [--json] [--list METRIC]

Only the standard library is used. Product code is every Python file of a package that a robot runs: tests,
benchmarks, tools and the packages in `TEST_PACKAGES` are left out.
"""

import argparse
import ast
import json
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEST_PACKAGES = frozenset(
    {
        "openral_detector_conformance",
        "openral_eval",
        "openral_household_benchmark",
        "openral_reasoner_testing",
        "openral_skill_conformance",
        "openral_testing",
    }
)
INTERROGATIVES = frozenset(
    {"What", "Where", "Whether", "Which", "Who", "Whoever", "How", "Why", "Is", "When"}
)
REASON = re.compile(r"#|\[[^\]]+\]")
"""A comment on the line, or a unit in brackets in the docstring that follows it."""


@dataclass(frozen=True)
class Module:
    """One parsed Python file of the product."""

    path: Path
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


def modules(root: Path) -> list[Module]:
    """Parse every product module below ``root``."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "*.py"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()
    found = []
    for path in map(Path, listed):
        package = next((part for part in path.parts[:-1] if part.startswith("openral_")), None)
        if package is None or package in TEST_PACKAGES or "test" in path.parts or not (root / path).is_file():
            continue
        dotted = ".".join(path.parts[len(path.parts) - 1 - path.parts[::-1].index(package) :]).removesuffix(
            ".py"
        )
        text = (root / path).read_text(encoding="utf-8")
        if path.name != "setup.py":
            found.append(Module(path, dotted.removesuffix(".__init__"), text, ast.parse(text)))
    return found


def imported(module: Module) -> Iterator[str]:
    """Yield the dotted names that a module imports, as `module.name` where a name is taken from one."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def importers(product: list[Module]) -> dict[str, set[str]]:
    """Map each module to the product modules that import it, re-exports followed to their source."""
    by_name = {module.name: module for module in product}
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
        for name in imported(module):
            target = name
            while (key := (target.rpartition(".")[0], target.rpartition(".")[2])) in exports:
                target = exports[key]
            source = target if target in by_name else target.rpartition(".")[0]
            if source in by_name and source != module.name:
                result[source].add(module.name)
    return result


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method."""
    return (
        node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


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
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        value = getattr(node, "value", None)
        if not targets or value is None or not _is_number(value):
            continue
        after = module.tree.body[place + 1] if place + 1 < len(module.tree.body) else None
        has_docstring = (
            isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        )
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        said = any(REASON.search(line) for line in lines[max(first - 1, 0) : last] if "#" in line)
        if not (has_docstring or said):
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


def collisions(product: list[Module]) -> dict[str, list[str]]:
    """Map each class name that several modules define to those modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in product:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(module.path))
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def mirrored(product: list[Module], root: Path) -> tuple[list[str], list[str]]:
    """Return the modules that have a `test_<module>.py` in their package, and those that have none."""
    tests: dict[str, set[str]] = defaultdict(set)
    for path in root.glob("*/test/**/test_*.py"):
        tests[path.relative_to(root).parts[0]].add(path.stem)
    own = [module for module in product if not module.is_package and module.path.stem != "__main__"]
    have = [str(m.path) for m in own if _test_names(m) & tests[m.path.parts[0]]]
    return have, [str(m.path) for m in own if str(m.path) not in set(have)]


def _test_names(module: Module) -> set[str]:
    """List the accepted names of a test file; a module may add its folder if two share their names."""
    return {f"test_{module.path.stem}", f"test_{module.path.parent.name}_{module.path.stem}"}


def measure(root: Path) -> dict[str, object]:
    """Measure everything; lists hold the places to look at."""
    product = modules(root)
    own = [module for module in product if not module.is_package]
    reached = importers(product)
    every = [function for module in own for function in functions(module)]
    names = [function.name for function in every if not function.name.startswith("__")]
    private = sum(name.startswith("_") for name in names)
    lengths = sorted((function.end_lineno or 0) - function.lineno + 1 for function in every)
    texts = [(module, line, text) for module in product for line, text in docstrings(module)]
    questions = [
        f"{m.path}:{line}" for m, line, text in texts if text.split()[0].rstrip(",:") in INTERROGATIVES
    ]
    have, lack = mirrored(product, root)
    return {
        "modules": len(own),
        "folders": len({module.path.parent for module in own}),
        "median file [lines]": statistics.median(module.lines for module in own),
        "largest file [lines]": max(module.lines for module in own),
        "modules with one importer": sorted(m.name for m in own if len(reached[m.name]) == 1),
        "private functions per public one": round(private / max(len(names) - private, 1), 2),
        "function p90 [lines]": lengths[int(0.9 * len(lengths))],
        "docstrings that open as a question": questions,
        "class names with several meanings": [f"{k}: {', '.join(v)}" for k, v in collisions(product).items()],
        "numeric constants without unit or reason": [place for m in own for place in unexplained_numbers(m)],
        "modules with a mirrored test file [%]": round(100.0 * len(have) / len(own)),
        "modules without a mirrored test file": lack,
    }


def main() -> int:
    """Print the table, or the places behind one of its rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON, with every place")
    parser.add_argument(
        "--list", metavar="METRIC", default="", help="print the places behind the rows that contain this"
    )
    asked = parser.parse_args()
    table = measure(ROOT)
    if asked.json:
        sys.stdout.write(json.dumps(table, indent=1) + "\n")
        return 0
    for name, value in table.items():
        sys.stdout.write(f"{name:<42} {len(value) if isinstance(value, list) else value}\n")
        if asked.list and asked.list in name and isinstance(value, list):
            sys.stdout.writelines(f"    {place}\n" for place in value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
