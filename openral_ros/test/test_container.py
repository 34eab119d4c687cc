"""Nodes of one process keep their names, parameters, remaps, deadlines and traces, and end together."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, get_native_id
from typing import Any

import pytest

pytest.importorskip("rclpy")
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from openral_ros.container import Component, name_thread, parse
from openral_ros.node_names import short_name
from openral_ros.qos import LATCHED

SpinUntil = Callable[..., None]
PATIENCE = 60.0
"""Longest wait for the end of a container [s]."""
HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("line", "shared", "components"),
    [
        ("", (), ()),
        ("a:A", (), (("a:A", ()),)),
        ("--ros-args --log-level info -- a:A b:B", ("--log-level", "info"), (("a:A", ()), ("b:B", ()))),
        (
            "a:A --ros-args -r __node:=x -- b:B --ros-args -p n:=1 --",
            (),
            (("a:A", ("-r", "__node:=x")), ("b:B", ("-p", "n:=1"))),
        ),
        # as launch_ros writes it
        (
            "a:A --ros-args -p n:=1 -- --ros-args --enclave /c -- --ros-args",
            ("--enclave", "/c"),
            (("a:A", ("-p", "n:=1")),),
        ),
    ],
)
def test_a_command_line_has_arguments_of_the_process_and_of_each_node(
    line: str, shared: tuple[str, ...], components: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    assert parse(line.split()) == (shared, tuple(Component(*each) for each in components))


@pytest.mark.parametrize(
    ("qualified", "name"),
    [
        ("/world_state", "world_state"),
        ("/openral/perception/home_tiny_locator/detector", "home_tiny_locat"),
        ("module:Class", "module:Class"),
    ],
)
def test_a_thread_is_named_after_its_node(qualified: str, name: str) -> None:
    def run() -> None:
        name_thread(short_name(qualified))
        seen.append(Path(f"/proc/self/task/{get_native_id()}/comm").read_text().strip())

    seen: list[str] = []
    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [name]


def component(name: str, kind: str = "Talker", *arguments: str) -> list[str]:
    return [f"components:{kind}", "--ros-args", "-r", f"__node:={name}", *arguments, "--"]


@contextmanager
def container(folder: Path, *components: Sequence[str]) -> Iterator["subprocess.Popen[str]"]:
    """A container of nodes that leave their marks in a folder."""
    marks = ["-p", f"folder:={folder}"]
    words = [word for each in components for word in (*each[:-1], *marks, each[-1])]
    code = "import sys; from openral_ros.container import main; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": f"{HERE}:{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-P", "-c", code, *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Its exit status and what it printed, once it has ended."""
    printed = process.communicate(timeout=PATIENCE)[1]
    return process.returncode, printed


@pytest.fixture
def client(ros_context: Context) -> Iterator[Node]:
    made = Node("client", context=ros_context)
    yield made
    made.destroy_node()


def call(
    client: Node, spin_until: SpinUntil, kind: Any, name: str, request: object = None, *, wait: bool = True
) -> Any:
    """Call a service; its future, done if one waits for it."""
    caller = client.create_client(kind, name)
    spin_until(client, caller.service_is_ready)
    future = caller.call_async(request or kind.Request())
    if wait:
        spin_until(client, future.done)
    return future


def test_every_node_has_its_own_name_namespace_parameters_and_remaps(
    client: Node, spin_until: SpinUntil, tmp_path: Path
) -> None:
    heard: dict[str, str] = {}
    for topic in ("/words", "/other/words", "/renamed"):
        client.create_subscription(
            String, topic, lambda message, topic=topic: heard.update({topic: message.data}), LATCHED
        )
    with container(
        tmp_path,
        component("one", "Talker", "-p", "words:=first"),
        component("two", "Talker", "-r", "__ns:=/other", "-p", "words:=second"),
        component("three", "Talker", "-r", "/words:=/renamed"),
    ):
        spin_until(client, lambda: len(heard) == 3)
        expected = {("one", "/"), ("two", "/other"), ("three", "/")}
        spin_until(client, lambda: expected <= {*client.get_node_names_and_namespaces()})
    assert heard == {"/words": "first", "/other/words": "second", "/renamed": "nothing"}


def test_a_long_callback_of_one_node_does_not_delay_another_one(
    client: Node, spin_until: SpinUntil, tmp_path: Path
) -> None:
    with container(tmp_path, component("one"), component("two", "ApartTalker")):
        call(client, spin_until, GetState, "/two/get_state")
        busy = call(client, spin_until, Trigger, "/one/be_busy", wait=False)
        call(client, spin_until, GetState, "/two/get_state")
        assert not busy.done()


def test_a_fatal_error_of_one_node_ends_all_of_them(
    client: Node, spin_until: SpinUntil, tmp_path: Path
) -> None:
    with container(tmp_path, component("one"), component("two")) as process:
        call(client, spin_until, Trigger, "/one/fail", wait=False)
        status, printed = ended(process)
    assert status == 1
    assert "told to fail" in printed
    assert {file.name for file in tmp_path.glob("*.fatal")} == {"one.fatal"}
    assert {file.name for file in tmp_path.glob("*.closed")} == {"one.closed", "two.closed"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_node_on_its_own_thread(
    client: Node, spin_until: SpinUntil, tmp_path: Path, number: signal.Signals
) -> None:
    with container(tmp_path, component("one"), component("two")) as process:
        for name in ("one", "two"):
            call(client, spin_until, GetState, f"/{name}/get_state")
        process.send_signal(number)
        assert ended(process)[0] == 0
    for name in ("one", "two"):
        configured, closed = (tmp_path / f"{name}.{when}" for when in ("configured", "closed"))
        assert configured.read_text() == closed.read_text() == f"/{name}"


def test_a_node_that_cannot_be_made_ends_all_of_them(ros_domain: int, tmp_path: Path) -> None:
    with container(tmp_path, component("one"), component("two", "Unmakeable")) as process:
        status, printed = ended(process)
    assert status == 1
    assert "cannot be made" in printed


def test_a_node_that_does_not_end_is_named_and_left(
    client: Node, spin_until: SpinUntil, tmp_path: Path
) -> None:
    with container(tmp_path, component("one"), component("two", "Stuck")) as process:
        for name in ("one", "two"):
            call(client, spin_until, GetState, f"/{name}/get_state")
        process.send_signal(signal.SIGINT)
        status, printed = ended(process)
    assert status == 1
    assert "not ended within 2.5 s: /two" in printed
    assert (tmp_path / "one.closed").exists()


@pytest.mark.parametrize("path", ["no_such_module:Node", "components:NoSuchClass", "components", ":Talker"])
def test_a_class_that_does_not_exist_is_refused_before_any_node_is_made(
    ros_domain: int, tmp_path: Path, path: str
) -> None:
    with container(tmp_path, component("one"), [path, "--ros-args", "--"]) as process:
        status, printed = ended(process)
    assert status == 2
    assert repr(path) in printed
    assert not list(tmp_path.glob("*.configured"))


def test_the_spans_of_every_node_are_its_own(client: Node, spin_until: SpinUntil, tmp_path: Path) -> None:
    configure = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE))
    with container(tmp_path, component("one"), component("two", "ApartTalker")):
        call(client, spin_until, ChangeState, "/two/change_state", configure)
        for name in ("one", "two"):
            call(client, spin_until, Trigger, f"/{name}/work")
    for name in ("one", "two"):
        (line,) = (tmp_path / "spans" / f"{name}.jsonl").read_text().splitlines()
        assert json.loads(line)["resource"]["attributes"]["service.name"] == name
