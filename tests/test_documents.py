"""Links of the documents resolve; the files, modules, commands, options and targets that they name exist."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

from openral_reasoner.request.plain import to_json
from openral_reasoner.request.saying import in_words
from openral_reasoner.sentences import read_sentence

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
MODULE = re.compile(r"`(openral_[a-z_]+(?:\.\w+)+)`")
FILE = re.compile(
    r"(?<![\w./~$-])((?:docs|examples|lab|launch|openral_\w+|requirements|rskills|scenes|tests|tools)/[\w./-]*\w)"
)
INTERFACE = re.compile(r"(openral_msgs/(msg|srv|action)/\w+)$")
"""A ROS interface, as ``ros2`` names it; its file has an extension."""
CODE = re.compile(r"^```(?:sh|bash|text|console)\b[^\n]*\n(.*?)^```|`([^`\n]+)`", re.DOTALL | re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
COMMAND = re.compile(r"(?:^|\s|/)openral((?: [a-z]+(?:-[a-z]+)*)+)", re.MULTILINE)
TARGET = re.compile(r"^make ([a-z-]+)", re.MULTILINE)
RUN_MODULE = re.compile(r"python3? -m ((?:openral_|benchmarks)[\w.]*)(?: ([a-z_]+))?")
STATED = re.compile(
    r"^\"(?P<said>[^\"]+)\" is\n\n```json\n(?P<request>.*?)^```.*?\"Understood: (?P<understood>[^\"]+)\.\"",
    re.DOTALL | re.MULTILINE,
)
"""A sentence with its statement as JSON, and in words further down."""
LAUNCH_ARGUMENT = re.compile(r"\b([a-z_]+):=")
FOREIGN = re.compile(r"^\$? ?(?:\w+=\S+ )*(?:ros2|colcon|pip|git|apt|sudo|docker|rosdep)\b")
"""Lines whose options belong to another program."""
FOREIGN_OPTIONS = {
    "--show-args",
    "--skip-keys",
    "--pid",
    "--ipc",
    "--build-arg",
    "--gpus",
    "--env",
    "--system-site-packages",
    "--model-repository",
    "--reasoning-parser",
    "--reasoning-format",
}
"""Options of `ros2 launch`, container engines and model servers that the text names alone."""
WRITTEN_BY_COMMANDS = {"lab/benchmarks/results"}
PLACES = ("*.md", "[!.]*/README.md", "lab/*/README.md", "docs/**/*.md")
DOCUMENTS = sorted(file for place in PLACES for file in ROOT.glob(place))
T = TypeVar("T")


def offenders(find: Callable[[Path], set[T]]) -> dict[str, set[T]]:
    """Return what is found in each document, without those that are in order."""
    all_of_them = {str(document.relative_to(ROOT)): find(document) for document in DOCUMENTS}
    return {document: items for document, items in all_of_them.items() if items}


def test_every_link_into_the_repository_resolves() -> None:
    def broken(document: Path) -> set[str]:
        links = {link for link in LINK.findall(document.read_text()) if "://" not in link}
        return {link for link in links if not (document.parent / link).exists()}

    assert not offenders(broken)


def test_every_python_block_compiles() -> None:
    for document in DOCUMENTS:
        for block in PYTHON.findall(document.read_text()):
            compile(block, str(document), "exec")


def test_every_module_that_is_named_exists() -> None:
    def undefined(document: Path) -> set[str]:
        return {name for name in MODULE.findall(document.read_text()) if not defined(name)}

    assert not offenders(undefined)


def test_every_file_that_is_named_exists() -> None:
    def missing(document: Path) -> set[str]:
        bases = (ROOT, document.parent, *ROOT.glob("openral_*/"), *ROOT.glob("lab/openral_*/"))
        named = {INTERFACE.sub(r"\1.\2", name) for name in FILE.findall(document.read_text())}
        return {name for name in named if not any((base / name).exists() for base in bases)}

    assert not offenders(lambda document: missing(document) - WRITTEN_BY_COMMANDS)


def test_the_statement_that_is_shown_is_the_one_of_its_sentence() -> None:
    shown = STATED.search((ROOT / "docs" / "reasoner.md").read_text())
    assert shown
    request = read_sentence(shown["said"])
    assert json.loads(to_json(request)) == json.loads(shown["request"])
    assert in_words(request) == shown["understood"]


def defined(name: str) -> bool:
    """Check for a module of this name, or for a module of its prefix that contains the rest."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        for top in (ROOT, *ROOT.glob("*/"), *ROOT.glob("lab/*/")):
            path = top.joinpath(*parts[:length])
            file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
            if file.is_file():
                return all(rest in file.read_text() for rest in parts[length:])
    return False


def code_of(document: Path) -> list[str]:
    """Return the lines of shell blocks, continued ones joined, and the inline code of a document."""
    found = CODE.findall(document.read_text())
    lines = ((block or inline).replace("\\\n", " ").splitlines() for block, inline in found)
    return [line.strip() for each in lines for line in each]


@cache
def inventory() -> dict[str, dict[str, dict[str, object]]]:
    """Return the recorded commands, also those of the laboratory, and launch arguments of the graph."""
    content: dict[str, dict[str, dict[str, object]]] = json.loads(
        (ROOT / "tests/goldens/graph_interfaces.json").read_text()
    )
    content["commands"] |= json.loads((ROOT / "lab/tests/commands.json").read_text())
    return content


@cache
def declared_options() -> set[str]:
    """Return every option that a command has, or that our sources name in a string."""
    recorded = (command["options"] for command in inventory()["commands"].values())
    tops = ("openral_*", "launch", "lab", "tools", "examples")
    sources = (file for top in tops for file in ROOT.glob(f"{top}/**/*.py"))
    named = re.findall(r"\"(--[a-z][a-z-]+)[=\"]", "\n".join(file.read_text() for file in sources))
    declared = (option for options in recorded if isinstance(options, dict) for option in options)
    return {name for option in declared for name in option.split()} | set(named)


def test_every_option_that_is_named_exists() -> None:
    def unknown(document: Path) -> set[str]:
        own = [line for line in code_of(document) if not FOREIGN.match(line)]
        named = {option for line in own for option in OPTION.findall(line)}
        return named - declared_options() - FOREIGN_OPTIONS

    assert not offenders(unknown)


def test_every_command_that_is_named_exists() -> None:
    def unknown(document: Path) -> set[str]:
        named = {words.strip() for line in code_of(document) for words in COMMAND.findall(line)}
        return {words for words in named if not is_command(words.split())}

    assert not offenders(unknown)


def is_command(words: list[str]) -> bool:
    """Check that the first word, and the second of a group, name a command of `openral`."""
    commands = [name.split()[1:] for name in inventory()["commands"] if name.startswith("openral ")]
    if not any(len(command) > 1 and command[0] == words[0] for command in commands):
        return [words[0]] in commands
    return len(words) == 1 or any(command[:2] == words[:2] for command in commands)


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    def unknown(document: Path) -> set[str]:
        return {target for line in code_of(document) for target in TARGET.findall(line)} - targets

    assert not offenders(unknown)


def test_every_program_that_is_named_exists() -> None:
    def missing(document: Path) -> set[tuple[str, str]]:
        named = {program for line in code_of(document) for program in RUN_MODULE.findall(line)}
        return {program for program in named if not is_program(*program)}

    assert not offenders(missing)


def is_program(module: str, name: str) -> bool:
    """Check that a module exists, and the benchmark that is its argument."""
    if module != "benchmarks" or not name:
        return defined(module)
    return any((ROOT / "lab" / "benchmarks" / path).exists() for path in (name, f"{name}.py"))


def test_every_launch_argument_that_is_named_exists() -> None:
    known = inventory()["launch_arguments"].keys() | inventory()["robot_launch_arguments"].keys()
    assert not offenders(lambda document: set(launch_arguments(document)) - known)


def launch_arguments(document: Path) -> Iterator[str]:
    """Yield the arguments of `ros2 launch openral_bringup` lines."""
    for line in code_of(document):
        if "ros2 launch openral_bringup" in line:
            yield from LAUNCH_ARGUMENT.findall(line)
