"""Commands of the operator, each from a process that leaves at once.

The emergency stop of a skill server and the real reasoner run in one process, recorder and console in others.
ROUNDS=n latencies, 30 if not given, of `openral stop`, `release` and `mission cancel` in turn with a process
that calls the service by rclpy alone; SAID=n prompts and n stops, 200 if not given, by every way in turn:
what was acknowledged, what the console shows, and what is in the recording.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import HTTPError

from openral_core.local_commands import cancel

LONG = True
ROUNDS, SAID = int(os.environ.get("ROUNDS", "30")), int(os.environ.get("SAID", "200"))
ROOT = Path(__file__).parents[2]
OPENRAL = str(ROOT / "tools" / "openral")
REFUSED = 409
"""Status of the console's answer to a prompt that the reasoner has refused."""
TIMEOUT = 60.0
"""Longest wait for a command [s]."""
PORT = os.environ.get("PORT", "8787")
PAGE = f"http://127.0.0.1:{PORT}"
SERVERS = """
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.emergency_stop import EmergencyStop, StopParameters
from openral_ros.resources import ResourceScope
rclpy.init()
server = Node("skill_server")
EmergencyStop(ResourceScope(server), server, StopParameters(), lambda state: None, lambda *words: None)
values = {"rskill_folders": ["rskills"], "palette_wait": 600.0}
reasoner = ReasonerNode(parameter_overrides=[Parameter(name, value=value) for name, value in values.items()])
reasoner.trigger_configure()
reasoner.trigger_activate()
executor = SingleThreadedExecutor()
executor.add_node(server)
executor.add_node(reasoner)
try:
    executor.spin()
except KeyboardInterrupt:
    pass
"""
RECORDER = """
import sys
sys.argv += ["--ros-args", "-p", "path:={}"]
from openral_recorder.ros.node import main
main()
"""
CONSOLE = """
import sys
sys.argv = ["openral", "console", "--port", "{}", "--allow-actions"]
from openral_bringup.cli.main import main
main()
"""
BARE = """
import sys, rclpy
from std_srvs.srv import Trigger
rclpy.init()
node = rclpy.create_node("bare")
client = node.create_client(Trigger, sys.argv[1])
client.wait_for_service()
future = client.call_async(Trigger.Request())
rclpy.spin_until_future_complete(node, future)
print(future.result().message)
"""
SERVICE = """
import sys, rclpy
from openral_msgs.msg import PromptStamped
from openral_msgs.srv import Prompt
rclpy.init()
node = rclpy.create_node("caller")
client = node.create_client(Prompt, "/openral/send_prompt")
client.wait_for_service()
future = client.call_async(Prompt.Request(prompt=PromptStamped(text=sys.argv[1])))
rclpy.spin_until_future_complete(node, future)
print(future.result().message)
sys.exit(not future.result().receipt.prompt_id)
"""


def run() -> list[dict[str, object]]:
    """Rows of latencies, and of what was said."""
    with TemporaryDirectory() as folder:
        with ExitStack() as stack:
            for process in (SERVERS, RECORDER.format(f"{folder}/run.mcap"), CONSOLE.format(PORT)):
                command = [sys.executable, "-P", "-c", process]
                started = subprocess.Popen(
                    command, cwd=ROOT, stdout=subprocess.DEVNULL, stdin=subprocess.PIPE
                )
                stack.callback(_end, started)
            while not acknowledged_within(1.0) or conversation() is None:
                time.sleep(1.0)
            rows = [_row(name, *samples) for name, samples in latencies().items() if samples[0]]
            counts, delivered = deliveries()
            shown = conversation() or {}
        recorded = recording(folder)
    places = {"shown by the console": Counter(shown.values()), "in the recording": recorded}
    return (
        rows
        + delivered
        + [
            {"command": f"{text}: {place}", "n": counts[text], "acknowledged": texts[text]}
            for place, texts in places.items()
            for text in counts
        ]
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGINT)
    process.wait(30.0)


def acknowledged_within(seconds: float) -> bool:
    """Return whether the reasoner acknowledges a stop."""
    return bool(cancel("", seconds))


def command(*words: str) -> tuple[int, str, float]:
    """Run a command; return its exit code, its output and how long it took [s]."""
    begun = time.monotonic()
    try:
        result = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", TIMEOUT
    return result.returncode, result.stdout + result.stderr, time.monotonic() - begun


def latencies() -> dict[str, tuple[list[float], list[float]]]:
    """Time from the start of a process to its confirmation [s], and the load, for each command."""
    commands = {
        "openral stop": (OPENRAL, "stop", "benchmark"),
        "openral release": (OPENRAL, "release"),
        "rclpy: emergency_stop": (sys.executable, "-P", "-c", BARE, "/openral/emergency_stop"),
        "rclpy: release": (sys.executable, "-P", "-c", BARE, "/openral/release"),
        "openral mission cancel": (OPENRAL, "mission", "cancel"),
    }
    samples: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in commands}
    for _ in range(ROUNDS):
        for name, words in commands.items():
            code, output, seconds = command(*words)
            assert code == 0, f"{name}: {output}"
            print(f"{name}: {seconds:.3f} s", file=sys.stderr, flush=True)
            samples[name][0].append(seconds)
            samples[name][1].append(os.getloadavg()[0])
    return samples


def _row(name: str, seconds: list[float], loads: list[float]) -> dict[str, object]:
    times = sorted(seconds)
    return {
        "command": name,
        "n": len(times),
        "median [s]": round(statistics.median(times), 3),
        "95th [s]": round(times[int(0.95 * (len(times) - 1))], 3),
        "longest [s]": round(times[-1], 3),
        "load": f"{min(loads):.1f} to {max(loads):.1f}",
    }


def console(text: str) -> bool:
    """Say something by the page's request; return whether there was a receipt, of a refusal too."""
    request = urllib.request.Request(
        f"{PAGE}/api/commands/prompt",
        json.dumps({"text": text}).encode(),
        {"Content-Type": "application/json", "Origin": PAGE},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return bool(json.load(answer)["outcome"])
    except HTTPError as error:
        return error.code == REFUSED


def deliveries() -> tuple[Counter[str], list[dict[str, object]]]:
    """Say prompts and stops by each way in turn; return how often each text was said, and the rows."""
    prompts: dict[str, Callable[[str], bool]] = {
        "openral prompt": lambda text: command(OPENRAL, "prompt", text)[0] in (0, 1),
        "service send_prompt": lambda text: command(sys.executable, "-P", "-c", SERVICE, text)[0] == 0,
        "console": console,
        "openral prompt, own topic": lambda text: command(sys.executable, "-P", "-c", PUBLISH, text)[0] == 0,
    }
    stops: dict[str, Callable[[str], bool]] = {
        "openral stop": lambda text: command(OPENRAL, "stop", text)[1].startswith("stopped"),
        "openral mission cancel": lambda _: command(OPENRAL, "mission", "cancel")[1].startswith("stopped"),
        "openral prompt stop": lambda text: command(OPENRAL, "prompt", text)[1].startswith("stopped"),
        "service send_prompt, stop": lambda text: command(sys.executable, "-P", "-c", SERVICE, text)[0] == 0,
        "console, stop": console,
    }
    counts: Counter[str] = Counter()
    acknowledged: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for number in range(SAID):
        for kind, ways in (("find the mug", prompts), ("stop, please", stops)):
            name = list(ways)[number % len(ways)]
            tries[name] += 1
            acknowledged[name] += ways[name](kind)
            print(f"{number} {name}: {acknowledged[name]} of {tries[name]}", file=sys.stderr, flush=True)
            counts[kind] += name not in ("openral stop", "openral mission cancel")  # which say it their way
        command(OPENRAL, "release")
    return counts, [{"command": name, "n": tries[name], "acknowledged": acknowledged[name]} for name in tries]


PUBLISH = """
import sys, time, uuid, rclpy
from openral_msgs.msg import PromptReceipt, PromptStamped
rclpy.init()
node, receipts = rclpy.create_node("publisher"), []
hear = lambda receipt: receipts.append(receipt.prompt_id)
node.create_subscription(PromptReceipt, "/openral/prompt_receipt", hear, 100)
publisher = node.create_publisher(PromptStamped, "/openral/prompt", 10)
prompt = PromptStamped(id=uuid.uuid4().hex, text=sys.argv[1])
prompt.header.frame_id = "operator"
while prompt.id not in receipts:
    publisher.publish(prompt)
    rclpy.spin_once(node, timeout_sec=0.3)
"""
"""A sender of one's own, which repeats until it is acknowledged, as examples/send_goal.py does."""


def conversation() -> dict[str, str] | None:
    """Return the operator's texts that the console's page shows, by id; None while it shows no page."""
    with suppress(OSError), urllib.request.urlopen(f"{PAGE}/api/events", timeout=10) as events:
        for line in events:
            content = json.loads(line[5:]) if line.startswith(b"data:") else {}
            if isinstance(content, dict) and content.get("name") == "prompts":
                prompts = [each["prompt"] for each in content["value"]]
                return {each["id"]: each["text"] for each in prompts if each["source"] == "operator"}
    return None


def recording(folder: str) -> Counter[str]:
    """Return how often the recording has each text of the operator, repeated prompts once."""
    from rclpy.serialization import deserialize_message

    from openral_msgs.msg import PromptStamped
    from openral_testing.recordings.recovery import complete_recording, recorded_messages

    path, topics = complete_recording(Path(folder)), ["/openral/operator_prompts"]
    prompts = (
        deserialize_message(message.data, PromptStamped) for _, _, message in recorded_messages(path, topics)
    )
    return Counter({each.id: each.text for each in prompts}.values())
