"""One command line from many packages, of which a command imports what it runs and no other."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from openral_bringup.cli.main import add_commands, command_line, run_locally
from openral_core.local_commands import socket_address

LIBRARIES = {
    *("rclpy", "numpy", "scipy", "yaml", "cv2", "PIL", "mujoco", "mcap", "rosbags", "psutil"),
    *("fastapi", "uvicorn", "torch", "onnxruntime", "httpx", "opentelemetry", "mcp", "asyncio", "std_msgs"),
}
"""Libraries that no help text needs; typer itself takes pydantic for some options."""
MOST_MODULES = 560
"""Modules of a process that prints every help: 517 when this was written, with those of rich and pydantic."""
MODULES_OF_STOP = 110
"""Modules of a process that stops the robot: 96 when this was written, 60 of them the interpreter's."""


def test_one_group_holds_the_commands_of_several_packages() -> None:
    app = typer.Typer()
    for name in ("search", "household"):
        part, group = typer.Typer(), typer.Typer()
        group.command(name)(lambda: None)
        part.add_typer(group, name="bench")
        add_commands(app, part)
    reported = CliRunner().invoke(app, ["bench", "--help"]).output
    assert "household" in reported
    assert "search" in reported


def run(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=60.0,
        check=False,
        env={**os.environ, **environment},
    )


def test_no_help_imports_what_its_command_runs() -> None:
    code = f"""
import sys, typer
from click.testing import CliRunner
from openral_bringup.cli.main import command_line
app = typer.main.get_command(command_line())
def helps(command, words):
    yield words
    for name, below in getattr(command, "commands", {{}}).items():
        yield from helps(below, [*words, name])
said = list(helps(app, []))
for words in said:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0 and "Usage" in done.output, (words, done.output)
print(len(said), len(sys.modules), *sorted({LIBRARIES!r} & set(sys.modules)))
"""
    found = run(code)
    assert found.returncode == 0, found.stderr
    count, modules, *libraries = found.stdout.split()
    assert int(count) >= 60
    assert libraries == []
    assert int(modules) < MOST_MODULES


@pytest.fixture
def answering(request: pytest.FixtureRequest, ros_domain: int) -> Iterator[list[bytes]]:
    """Skill server's socket that gives one answer; the commands that it got."""
    import socket

    address, heard = socket_address(ros_domain, "/r1/openral/stop"), list[bytes]()
    assert address is not None
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                heard.append(connection.recv(10_000))
                connection.sendall(request.param)

        served = Thread(target=answer)
        served.start()
        yield heard
        served.join(10.0)


@pytest.mark.parametrize("answering", [b'{"message": "person on the floor"}\n'], indirect=True)
def test_a_stop_imports_neither_ros_nor_a_command_line_library(answering: list[bytes]) -> None:
    code = """
import sys
from openral_bringup.cli.main import main
try: main()
finally: print(len(sys.modules), *sorted({"rclpy", "typer", "click", "rich", "pydantic"} & set(sys.modules)))
"""
    done = run(code, "stop", "person on the floor", "--namespace", "r1")
    assert done.returncode == 0, done.stderr
    said, counted = done.stdout.splitlines()
    assert said == "stopped: person on the floor"
    count, *libraries = counted.split()
    assert libraries == []
    assert int(count) < MODULES_OF_STOP
    assert b'"reason": "person on the floor"' in answering[0]


@pytest.mark.parametrize(
    ("answering", "words", "expected"),
    [
        (b'{"success": false, "message": "no heartbeat"}\n', ["release"], (1, "no heartbeat")),
        (b'{"success": true, "message": "released"}\n', ["release"], (0, "released")),
        (
            b'{"outcome": "stopped", "mission": "m1", "message": ""}\n',
            ["mission", "cancel"],
            (0, "stopped m1"),
        ),
        (b'{"message": "not acknowledged"}\n', ["mission", "cancel"], None),
        (b"nonsense\n", ["stop"], None),
        (b'{"message": ""}\n', ["stop"], None),
    ],
    indirect=["answering"],
)
def test_what_the_skill_server_has_not_confirmed_is_left_to_dds(
    answering: list[bytes], words: list[str], expected: object
) -> None:
    assert run_locally([*words, "--namespace", "/r1"]) == expected
    assert answering


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["stop", "--help"],
        ["stop", "--timeout", "3"],
        ["stop", "two", "words"],
        ["stop", "--namespace"],
        ["release", "needless"],
        ["mission"],
        ["prompt", "stop"],
    ],
)
def test_every_other_line_is_left_to_the_whole_command_line(words: list[str], ros_domain: int) -> None:
    assert run_locally(words) is None


def test_each_local_command_is_one_of_the_command_line() -> None:
    from openral_bringup.cli.main import LOCAL

    app: Any = typer.main.get_command(command_line())
    for names in LOCAL:
        command = app
        for name in names:
            command = command.commands[name]
        assert {"namespace", "timeout"} <= {each.name for each in command.params}


def test_the_version_is_that_of_the_manifest() -> None:
    root = ET.parse(Path(__file__).parents[2] / "package.xml").getroot()
    assert CliRunner().invoke(command_line(), ["--version"]).output == f"openral {root.findtext('version')}\n"
