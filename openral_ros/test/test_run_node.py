"""A node's process ends on every signal, within a bound, whatever hangs."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("rclpy")

NODE = """
import sys, threading, time
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.run_node import run_process


class Busy(LifecycleNodeBase):
    def __init__(self):
        super().__init__("busy")
        self.create_timer(0.001, lambda: None)
        self.create_timer(0.1, lambda: print("up", flush=True))

    def close(self):
        {close}
        super().close()


sys.argv[1:] = {arguments}
run_process(Busy)
"""
LIMIT = 20.0
"""Longest wait for a process [s]; a busy machine takes seconds to start one."""


@contextmanager
def running(close: str = "pass") -> "Iterator[subprocess.Popen[str]]":
    code = NODE.format(close=close, arguments=[])
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert "up\n" in process.stdout  # reads lines until then; Fast DDS writes some of its own
        yield process
    finally:
        process.kill()
        process.communicate()


def test_signals_that_interrupt_each_others_handlers_end_the_process(ros_domain: int) -> None:
    with running() as process:
        for number in range(40):
            process.send_signal((signal.SIGINT, signal.SIGTERM)[number % 2])
            time.sleep(0.0001)
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    assert [line for line in errors.splitlines() if "waiting to be configured" not in line] == []


@pytest.mark.parametrize(
    "close",
    [
        "time.sleep(1000)",
        "threading.Event().wait()",
        "threading.Thread(target=time.sleep, args=(1000,)).start()\n        threading._shutdown()",
    ],
)
def test_what_hangs_in_the_shutdown_is_shown_and_left(ros_domain: int, close: str) -> None:
    with running(close) as process:
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        assert time.monotonic() - begun < 5.0
    assert process.returncode == 1
    assert "Timeout" in errors
    assert "in close" in errors


def test_a_thread_that_never_ends_does_not_keep_the_process(ros_domain: int) -> None:
    with running("threading.Thread(target=time.sleep, args=(1000,)).start()") as process:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    assert "Timeout" not in errors


def test_a_node_says_that_it_waits_to_be_configured(ros_domain: int) -> None:
    with running() as process:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
    assert "waiting to be configured, e.g. `ros2 lifecycle set /busy configure`" in errors


@pytest.mark.parametrize(
    ("arguments", "status", "printed"),
    [
        (["--help"], 0, "usage: "),
        (["-h"], 0, "--ros-args"),
        (["path:=x"], 2, "argument 'path:=x' is unknown"),
    ],
)
def test_help_and_mistakes_start_nothing(arguments: list[str], status: int, printed: str) -> None:
    code = NODE.format(close="pass", arguments=arguments)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == status
    assert printed in done.stdout + done.stderr
    assert "up" not in done.stdout
