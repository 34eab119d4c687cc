"""Everything of the robot that others rely on by name, read from the product itself.

Commands of the laboratory are recorded apart, once it is built.

Write it anew, only after a change that is meant: ``cd tests && ../tools/env python -m goldens.interfaces``.
"""

import difflib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import typer

from openral_bringup.cli.main import command_line
from openral_bringup.deploy.main import app as deploy_sim
from openral_bringup.deploy.main import robot_app as deploy_robot
from openral_bringup.launch_description import ARGUMENTS, ROBOT_ARGUMENTS, Argument
from openral_core.missions import MissionState

KEPT = Path(__file__).with_name("graph_interfaces.json")
ROOT = Path(__file__).parents[2]
KEPT_OF_LAB = ROOT / "lab" / "tests" / "commands.json"
AGAIN = "cd tests && ../tools/env python -m goldens.interfaces"
RUN_TIME_FOLDERS = ("runs", ".environments")
"""Written by commands and `make engines`: recorded by name, whether it exists yet or not."""
DOMAIN = "107"
Content = dict[str, Any]
LAB = frozenset(file.parent.name for file in ROOT.glob("lab/*/openral_*/__init__.py"))
"""Packages of the laboratory."""


def surface() -> Content:
    """Interfaces without a graph: launch arguments, command lines, exit codes."""
    commands = commands_of_openral(lab=False)
    for app, program in ((deploy_sim, "deploy_sim"), (deploy_robot, "deploy_robot")):
        commands |= {name: content for name, _, content in _commands(typer.main.get_command(app), program)}
    return {
        "launch_arguments": _launch(ARGUMENTS),
        "robot_launch_arguments": _launch(ROBOT_ARGUMENTS),
        "commands": commands,
        "exit_codes": _exit_codes(commands),
    }


def whole() -> Content:
    """All of it; starts the graph."""
    from goldens.graphs import launched

    with tempfile.TemporaryDirectory() as folder:
        return {**surface(), "graph": launched(Path(folder), int(os.environ["ROS_DOMAIN_ID"]))}


def commands_of_openral(*, lab: bool) -> Content:
    """Return the commands of the laboratory, or all others."""
    return {
        name: content
        for name, module, content in _commands(typer.main.get_command(command_line()), "openral")
        if (module in LAB) is lab
    }


def _launch(arguments: Iterable[Argument]) -> Content:
    return {item.name: {"default": item.default, "choices": item.choices} for item in arguments}


def _commands(command: Any, name: str) -> Iterator[tuple[str, str, Content]]:
    """Yield a command and every one below it: its full name, its package and its options."""
    if hasattr(command, "commands"):
        for item, below in command.commands.items():
            yield from _commands(below, f"{name} {item}")
        return
    options = {_spelling(param): _option(param) for param in command.params}
    package = command.callback.__module__.partition(".")[0]
    yield name, package, {"options": options, "exit_codes": _documented(command.help or "")}


def _spelling(option: Any) -> str:
    return " ".join((*option.opts, *option.secondary_opts))


def _option(option: Any) -> Content:
    default, kind = option.default, option.type_descriptor.annotation
    return {
        "kind": option.param_type_name,
        "type": "choice" if _is_choice(kind) else kind.__name__,
        "choices": [str(item.value) for item in kind] if _is_choice(kind) else [],
        "bounds": [option.type_descriptor.parameter_info.min, option.type_descriptor.parameter_info.max],
        "default": _plain(default() if callable(default) else default),
        "required": option.required,
        "repeatable": option.multiple or option.nargs == -1,
        "flag": getattr(option, "is_flag", False),
    }


def _is_choice(kind: type) -> bool:
    return issubclass(kind, Enum)


def _plain(value: object) -> object:
    """As JSON has it: an enumeration by its value, a folder that was looked for as one that was found."""
    value = getattr(value, "value", value)
    if isinstance(value, Path) and value.parts[0] not in RUN_TIME_FOLDERS and value.exists():
        return "<found>"
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _documented(words: str) -> list[int]:
    """Exit codes that a help text names, after the words for them."""
    _, _, after = words.partition("xit code")
    sentence = re.split(r"\.\s|\.$", after, maxsplit=1)[0]
    return sorted({int(item) for item in re.findall(r"(?:^:?\s+|[,;]\s+)(\d+)\b", sentence)})


def _exit_codes(commands: Mapping[str, Content]) -> Content:
    """By the state that a mission ends in, in tables of the documents, and in the help of any command."""
    documents = (ROOT / "README.md", *(ROOT / "docs").glob("**/*.md"))
    return {
        "of_mission_states": {item.name: item.exit_code for item in MissionState if item.ended},
        "in_documents": sorted(
            {code for document in documents for code in _tabulated(document.read_text("utf-8"))}
        ),
        "in_help": sorted({code for command in commands.values() for code in command["exit_codes"]}),
    }


def _tabulated(text: str) -> Iterator[int]:
    """The first column of each table whose first column is headed so."""
    for table in re.findall(r"^\| exit code .*\n((?:^\|.*\n?)*)", text, re.MULTILINE):
        yield from (int(code) for code in re.findall(r"^\|\s*(\d+)\s*\|", table, re.MULTILINE))


def difference(kept: object, found: object) -> str:
    """Return removed and added lines, and the command that records intended changes; "" if equal."""
    if kept == found:
        return ""
    lines = difflib.unified_diff(
        _text(kept).splitlines(), _text(found).splitlines(), "as recorded", "as it is now", n=4, lineterm=""
    )
    advice = f"names that others rely on have changed; if that is meant, record them: {AGAIN}"
    return "\n".join([*lines, advice])


def _text(content: object) -> str:
    return json.dumps(content, indent=1, sort_keys=True)


def kept() -> Content:
    """As it was recorded."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8")))


def main() -> None:
    """Record everything."""
    os.environ.setdefault("ROS_DOMAIN_ID", DOMAIN)
    before = kept() if KEPT.exists() else {}
    found = whole()
    KEPT.write_text(_text(found) + "\n", encoding="utf-8")
    if of_lab := commands_of_openral(lab=True):
        KEPT_OF_LAB.write_text(_text(of_lab) + "\n", encoding="utf-8")
    sys.stdout.write(difference(before, json.loads(_text(found))) or "nothing has changed\n")


if __name__ == "__main__":
    main()
