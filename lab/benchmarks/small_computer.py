"""Memory and processor time of every node of a real robot's graph, idle beside one RGB-D camera.

`deploy_robot.py` brings the graph up with the shipped small detectors; the robot has a camera and no other
driver. The camera, a process of its own that is not counted, publishes colour and depth of 640x480 px at
15 Hz and odometry at 30 Hz. SECONDS=n measures for n s, else 60. Processor time is that of each process, so
other work on the machine distorts it little. Memory is the proportional set size (PSS) as if nothing else
ran: a page of a library is shared by the processes of the graph alone.

FORMS chooses "apart", "composed" or both, which is the default. Each is measured with both detectors active,
with both inactive, and again, started anew, with the continuous one alone, inactive.
A container's processor time is told per thread too: every node has one of its name.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import yaml
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState

from openral_bringup.graph.middleware import LARGE_IMAGES, rmw_environment
from openral_core.documents import read_yaml
from openral_ros.node_thread import NodeThread
from openral_ros.service_client import AsyncServiceClient, CallError

LONG = True
ROOT = Path(__file__).parents[2]
CONTINUOUS = "/openral/perception/home_tiny/detector"
DETECTORS = (CONTINUOUS, "/openral/perception/home_tiny_locator/detector")
NODES = ("/skill_server", "/world_state", "/reasoner")
"""Managed nodes of the graph besides detectors."""
FORMS = ("apart", "composed")
CONTAINER = "/container"
"""Process of several nodes, each of which has a thread with its name."""
DEADLINE = 120.0
"""Longest wait for the graph, and for a transition [s]."""
SETTLING = 5.0
"""Time between a transition and the measurement [s]."""
QUERY_PERIOD = 0.2
"""Time between two requests of the states that are awaited [s]."""
_CAMERA = """
import time
import numpy as np, rclpy
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import CameraInfo, Image
from tf2_msgs.msg import TFMessage
from openral_ros.conversions.images import image_message
from openral_ros.qos import LATCHED, SENSOR

def transform(parent, child):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, node.get_clock().now().to_msg()
    message.transform.translation.z, message.transform.rotation.w = 0.0, 1.0
    return message

rclpy.init()
node = rclpy.create_node("camera_driver")
colour = node.create_publisher(Image, "/head_camera/image_raw", SENSOR)
depth = node.create_publisher(Image, "/head_camera/depth", SENSOR)
info = node.create_publisher(CameraInfo, "/head_camera/camera_info", SENSOR)
tf = node.create_publisher(TFMessage, "/tf", 10)
static = node.create_publisher(TFMessage, "/tf_static", LATCHED)
frame = "head_camera_optical_frame"
static.publish(TFMessage(transforms=[transform("map", "odom"), transform("base_link", frame)]))
noise = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
distance = np.full((480, 640), 2000, np.uint16)
pictures = image_message(noise, "rgb8", 0.0, frame), image_message(distance, "16UC1", 0.0, frame)
calibration = CameraInfo(width=640, height=480, k=[600.0, 0.0, 320.0, 0.0, 600.0, 240.0, 0.0, 0.0, 1.0])
calibration.header.frame_id, calibration.distortion_model = frame, "plumb_bob"
calibration.p = [600.0, 0.0, 320.0, 0.0, 0.0, 600.0, 240.0, 0.0, 0.0, 0.0, 1.0, 0.0]
tick, due = 0, time.monotonic()
while True:
    stamp = node.get_clock().now().to_msg()
    tf.publish(TFMessage(transforms=[transform("odom", "base_link")]))
    if tick % 2 == 0:
        for publisher, message in zip((info, colour, depth), (calibration, *pictures)):
            message.header.stamp = stamp
            publisher.publish(message)
    tick, due = tick + 1, due + 1.0 / 30.0
    time.sleep(max(due - time.monotonic(), 0.0))
"""
Row = dict[str, object]


def run() -> list[Row]:
    """One row per form of the graph, process and state of the detectors, and the sums."""
    forms = os.environ.get("FORMS", " ".join(FORMS)).split()
    return [row for form in forms for row in of_form(form, float(os.environ.get("SECONDS", "60")))]


def of_form(form: str, seconds: float) -> list[Row]:
    """Rows of one form: detectors inactive, active, one detector less, and what the start took."""
    options = ("--composed",) if form == "composed" else ()
    with started(options, DETECTORS) as (deployed, transitions, up):
        starts = {pid: seconds_of(process) for pid, process in processes(deployed).items()}
        active = measured(deployed, "active", seconds)
        deactivate(transitions, DETECTORS)
        inactive = measured(deployed, "inactive", seconds)
    with started((*options, "--continuous", "home-tiny"), (CONTINUOUS,)) as (deployed, transitions, _):
        deactivate(transitions, (CONTINUOUS,))
        alone = measured(deployed, "one, inactive", seconds)
    for row in (*active, *inactive, *alone):
        row["start_cpu_s"] = round(starts[pid], 2) if (pid := row.pop("pid", None)) in starts else ""
    keys = ("pss_mb", "rss_mb", "cpu_percent")
    more = {key: round(float(str(inactive[-1][key])) - float(str(alone[-1][key])), 1) for key in keys}
    added: Row = {"detectors": "", "process": "one more inactive detector", **more}
    summed: Row = {"detectors": "", "process": "graph up", "up_s": round(up, 1)}
    summed["start_cpu_s"] = round(sum(starts.values()), 1)
    return [{"form": form, **row} for row in (*inactive, *active, alone[-1], added, summed)]


@contextmanager
def started(
    options: Sequence[str], detectors: Sequence[str]
) -> Iterator[tuple[psutil.Process, "Transitions", float]]:
    """A deployment that is up beside the camera, its transitions, and the time that the start took [s]."""
    names = (*NODES, *detectors)
    with tempfile.TemporaryDirectory() as name, camera(), NodeThread("small_computer") as observer:
        transitions = Transitions(observer, names)
        begun = time.monotonic()
        with deployment(Path(name), options) as deployed:
            transitions.wait(names, State.PRIMARY_STATE_ACTIVE)
            yield deployed, transitions, time.monotonic() - begun


def deactivate(transitions: "Transitions", detectors: tuple[str, ...]) -> None:
    """Deactivate detectors, and wait until they are."""
    transitions.request(detectors, Transition.TRANSITION_DEACTIVATE)
    transitions.wait(detectors, State.PRIMARY_STATE_INACTIVE)


class Transitions:
    """Lifecycle states of managed nodes, and requests to change them.

    The states are asked for: transitions that end before their events are discovered would be missed.
    """

    def __init__(self, observer: NodeThread, names: Sequence[str]) -> None:
        self._observer, self._names = observer, names
        self._states: dict[str, int] = {}
        observer.post(self._connect)

    def _connect(self) -> None:
        scope, node = self._observer.scope, self._observer.node
        self._changes: dict[str, AsyncServiceClient[ChangeState.Response]] = {
            name: AsyncServiceClient(scope, node, ChangeState, f"{name}/change_state") for name in self._names
        }
        self._queries: dict[str, AsyncServiceClient[GetState.Response]] = {
            name: AsyncServiceClient(scope, node, GetState, f"{name}/get_state") for name in self._names
        }

    def request(self, names: tuple[str, ...], transition: int) -> None:
        """Request a transition of each node."""
        message = ChangeState.Request(transition=Transition(id=transition))
        for name in names:
            self._observer.post(partial(self._change, name, message))

    def _change(self, name: str, message: ChangeState.Request) -> None:
        self._changes[name].call(message, DEADLINE, lambda _: None)

    def wait(self, names: tuple[str, ...], state: int) -> None:
        """Wait until every node is in a state.

        Raises:
            TimeoutError: With the states of the nodes.
        """
        deadline = time.monotonic() + DEADLINE
        while {self._states.get(name) for name in names} != {state}:
            if time.monotonic() > deadline:
                raise TimeoutError(f"not all of {', '.join(names)} reached state {state}: {self._states}")
            for name in names:
                if self._states.get(name) != state:
                    self._observer.post(partial(self._ask, name))
            time.sleep(QUERY_PERIOD)

    def _ask(self, name: str) -> None:
        def answered(outcome: GetState.Response | CallError) -> None:
            if not isinstance(outcome, CallError):
                self._states[name] = outcome.current_state.id

        self._queries[name].call(GetState.Request(), DEADLINE, answered)


@contextmanager
def camera() -> Iterator[None]:
    """The camera's driver, for as long as the context lasts."""
    environment = {**os.environ, **rmw_environment(os.environ, LARGE_IMAGES)}
    process = subprocess.Popen([sys.executable, "-c", _CAMERA], env=environment, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def deployment(folder: Path, options: Sequence[str]) -> Iterator[psutil.Process]:
    """A robot's graph, without recorder and console."""
    content = dict(read_yaml(ROOT / "robots" / "foreign_sim.yaml"))
    streams = {"image": "image_raw", "info": "camera_info", "depth": "depth"}
    head: dict[str, object] = {key: f"/head_camera/{topic}" for key, topic in streams.items()}
    content["cameras"] = {"head": {**head, "optical_frame": "head_camera_optical_frame", "rate": 15.0}}
    content["map"] = str(ROOT / "scenes" / "maps" / "home.yaml")
    robot = folder / "robot.yaml"
    robot.write_text(yaml.safe_dump(content))
    command = ["deploy_robot.py", "--robot", str(robot), "--detectors", "embedded", "--no-mcap"]
    command += ["--console", "off", "--record", str(folder / "run"), *options]
    process = subprocess.Popen(
        [sys.executable, "-P", *command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        yield psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def measured(deployed: psutil.Process, state: str, seconds: float) -> list[Row]:
    """One row per process of a deployment over a while, and one that sums up the nodes."""
    time.sleep(SETTLING)
    found = processes(deployed)
    before, begun = {pid: seconds_of(process) for pid, process in found.items()}, time.monotonic()
    containers = [process for process in found.values() if role(process, deployed) == CONTAINER]
    threads_before = thread_seconds(containers)
    time.sleep(seconds)
    passed = time.monotonic() - begun
    used = {pid: seconds_of(process) - before[pid] for pid, process in found.items()}
    threads_after = thread_seconds(containers)
    memory = proportional_memory({pid: mappings(pid) for pid in found})
    rows: list[Row] = [
        {
            "detectors": state,
            "process": role(process, deployed),
            "pss_mb": round(memory[pid], 1),
            "rss_mb": round(process.memory_info().rss / 1e6, 1),
            "cpu_percent": round(100.0 * used[pid] / passed, 2),
            "pid": pid,
        }
        for pid, process in found.items()
    ]
    nodes = [row for row in rows if str(row["process"]).startswith("/")]
    threads: list[Row] = [
        {
            "detectors": state,
            "process": f"thread {name}",
            "cpu_percent": round(100.0 * (after - threads_before[name]) / passed, 2),
        }
        for name, after in sorted(threads_after.items())
    ]
    keys = ("pss_mb", "rss_mb", "cpu_percent")
    sums = {key: round(sum(float(str(row[key])) for row in nodes), 1) for key in keys}
    return [
        *sorted(rows, key=lambda row: str(row["process"])),
        *threads,
        {"detectors": state, "process": "all nodes", **sums},
    ]


def processes(deployed: psutil.Process) -> dict[int, psutil.Process]:
    """The processes of a deployment, by id."""
    return {process.pid: process for process in (deployed, *deployed.children(recursive=True))}


def role(process: psutil.Process, deployed: psutil.Process) -> str:
    """Qualified name of a node's process; what any other one does."""
    if process == deployed:
        return "terminal view"
    words = process.cmdline()
    if "--ros-args" not in words:
        parent = process.parent()
        return f"worker of {role(parent, deployed)}" if parent else "worker"
    return str(words[words.index("--enclave") + 1])


def mappings(pid: int) -> dict[str, float]:
    """Resident memory of a process by file [MB]; "" is what no other process can share."""
    found: dict[str, float] = defaultdict(float)
    name = ""
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            name = " ".join(words[5:])
        elif words[0] in ("Private_Dirty:", "Private_Clean:", "Shared_Dirty:", "Shared_Clean:"):
            is_own = words[0] == "Private_Dirty:" or not name.startswith("/")
            found["" if is_own else name] += int(words[1]) * 1024 / 1e6
    return found


def proportional_memory(mapped: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
    """Proportional set size of processes [MB], if no other process had their files mapped."""
    users = Counter(name for counted in mapped.values() for name in counted if name)
    return {
        pid: sum(size / users.get(name, 1) for name, size in counted.items())
        for pid, counted in mapped.items()
    }


def thread_seconds(containers: Sequence[psutil.Process]) -> dict[str, float]:
    """Processor time so far of their threads by name, those of Fast DDS together [s]."""
    seconds: dict[str, float] = defaultdict(float)
    for process in containers:
        for thread in process.threads():
            with suppress(OSError):
                name = Path(f"/proc/{process.pid}/task/{thread.id}/comm").read_text().strip()
                seconds["dds" if name.startswith("dds.") else name] += thread.user_time + thread.system_time
    return seconds


def seconds_of(process: psutil.Process) -> float:
    """Processor time so far [s]."""
    times = process.cpu_times()
    return float(times.user + times.system)
