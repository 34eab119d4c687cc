"""Delivery of `openral prompt` and `openral mission cancel`, each in its own process.

Beside the reasoner another node listens to prompts, as `world_state` does; each process is a new participant
that is not discovered yet. Acknowledged prompts are compared with the output and exit code of each
process.
"""

import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LONG = True
ROUNDS = int(os.environ.get("OPENRAL_BENCH_PROMPTS", "200"))
UP = "the reasoner listens"
TIMEOUT = "60"
"""Longest wait for an acknowledgement [s], on a machine that does other things besides."""


def run() -> list[dict[str, object]]:
    """One row for goals and one for stops."""
    goals: list[Said] = []
    stops: list[Said] = []
    with _reasoner() as receipts:
        for number in range(ROUNDS):
            goals.append(_say("prompt", f"find mug {number}", "--timeout", TIMEOUT))
            stops.append(_say("mission", "cancel", "--timeout", TIMEOUT))
        heard = receipts()
    return [_row("prompt", goals, heard, "started"), _row("mission cancel", stops, heard, "stopped")]


class Said:
    """One command: how it ended, its line, and how long it took [s]."""

    def __init__(self, code: int, line: str, seconds: float) -> None:
        self.code, self.line, self.seconds = code, line, seconds


def _row(name: str, said: list[Said], heard: Counter[str], outcome: str) -> dict[str, object]:
    times = sorted(item.seconds for item in said)
    acknowledged = sum(item.line.startswith(outcome) for item in said)
    return {
        "command": name,
        "said": len(said),
        "exit code 0": sum(item.code == 0 for item in said),
        "acknowledged": acknowledged,
        "the reasoner's receipts, by prompt": heard[outcome],
        "exit code untrue": sum((item.code == 0) != item.line.startswith(outcome) for item in said),
        "median [s]": round(statistics.median(times), 2),
        "95th [s]": round(times[int(0.95 * (len(times) - 1))], 2),
        "longest [s]": round(times[-1], 2),
    }


def _say(*words: str) -> Said:
    """A command in a process of its own; forked, so that it does not import everything anew."""
    from openral_bringup.cli.main import main

    begun = time.monotonic()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(writing, 1)
        sys.argv = ["openral", *words]
        code = 70
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as output:
        line = output.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return Said(code, line, time.monotonic() - begun)


@contextmanager
def _reasoner() -> Iterator[Callable[[], Counter[str]]]:
    """The real node in a process of its own; gives what it acknowledged, distinct prompts by outcome."""
    command = [sys.executable, "-c", "from benchmarks.prompts import serve; serve()"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != UP:
            assert process.poll() is None, "the reasoner did not come up"

        def receipts() -> Counter[str]:
            output, _ = process.communicate("enough\n", timeout=60.0)
            return Counter(line.split()[0] for line in output.splitlines() if line.split()[1:] == ["receipt"])

        try:
            yield receipts
        finally:
            process.kill()


def serve() -> None:
    """The reasoner and another listener, until a line comes in; then a line for each acknowledged prompt."""
    from threading import Thread

    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from rclpy.parameter import Parameter

    from openral_core.missions import PromptOutcome
    from openral_msgs.msg import PromptReceipt, PromptStamped
    from openral_reasoner_ros.node import ReasonerNode
    from openral_reasoner_ros.topics import PROMPT, RECEIPT
    from openral_ros.qos import RECEIPTS, RELIABLE

    rclpy.init()
    heard: dict[str, int] = {}
    listener = Node("world_state")
    listener.create_subscription(PromptStamped, PROMPT, lambda prompt: None, RELIABLE)
    listener.create_subscription(
        PromptReceipt,
        RECEIPT,
        lambda receipt: heard.setdefault(receipt.prompt_id, receipt.outcome),
        RECEIPTS,
    )
    folders = Parameter("rskill_folders", value=[str(Path(__file__).parents[2] / "rskills")])
    reasoner = ReasonerNode(parameter_overrides=[folders])
    reasoner.trigger_configure()
    reasoner.trigger_activate()
    executor = SingleThreadedExecutor()
    for node in (listener, reasoner):
        executor.add_node(node)
    Thread(target=executor.spin, daemon=True).start()
    print(UP, flush=True)
    sys.stdin.readline()
    time.sleep(1.0)
    for outcome in heard.values():
        print(PromptOutcome(outcome).name.lower(), "receipt", flush=True)
    os._exit(0)
