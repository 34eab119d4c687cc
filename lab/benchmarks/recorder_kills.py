"""Recorders killed at random moments while a robot publishes; three readers read each recovered file.

KILLS=n: recorders, else 50. The readers are none of ours: `mcap` counts records, `mcap-ros2-support` and
`rosbags` decode every message.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rclpy.qos import QoSProfile
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import Image
from std_msgs.msg import String

from openral_recorder.recovery import is_complete, recover
from openral_ros.conversions.images import image_message
from openral_ros.node_thread import NodeThread
from openral_ros.qos import SENSOR

MAIN = "import sys; from openral_recorder.ros.node import main; sys.exit(main())"
PERIOD = 0.02
"""Of the words; every fifth comes with an image [s]."""
STARTED = 30.0
"""Longest wait for a file [s]."""
JOINING = 25
"""Words left out at the beginning [count]: while a reader joins, DDS gives it one and then skips some."""
LIFE = (0.5, 4.0)
"""Shortest and longest time from the first bytes of the file to the kill [s]."""


def run() -> list[dict[str, object]]:
    """One row over all kills."""
    random.seed(0)
    kills = int(os.environ.get("KILLS", "50"))
    with publishing() as sent:
        found = [killed(sent) for _ in range(kills)]
    lost = [each for _, _, each in found]
    return [
        {
            "killed": kills,
            "recovered": sum(whole for whole, _, _ in found),
            "three readers agree": sum(agree for _, agree, _ in found),
            "lost: median [s]": median(lost),
            "lost: most [s]": max(lost),
        }
    ]


@contextmanager
def publishing() -> Iterator[list[float]]:
    """Publish numbered words and images; yields the times of the words [s]."""
    sent: list[float] = []
    pixels = np.full((240, 320, 3), 90, np.uint8)
    with NodeThread("robot", domain=int(os.environ["ROS_DOMAIN_ID"])) as thread:
        words = thread.scope.publisher(String, "words", QoSProfile(depth=500))
        images = thread.scope.publisher(Image, "head/image_raw", SENSOR)

        def publish() -> None:
            words.publish(String(data=str(len(sent))))
            sent.append(time.monotonic())
            if len(sent) % 5 == 0:
                images.publish(image_message(pixels, "rgb8", time.time(), "head"))

        thread.scope.timer(PERIOD, publish)
        yield sent


def killed(sent: list[float]) -> tuple[bool, bool, float]:
    """Kill one recorder; return if its file has no gap, if all readers agree, and what was lost [s]."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "run.mcap"
        command = [sys.executable, "-c", MAIN, "--ros-args", "-p", f"path:={path}"]
        with (
            (Path(name) / "log").open("wb") as log,
            subprocess.Popen(command, stdout=log, stderr=log) as process,
        ):
            try:
                until_words(path)
                time.sleep(random.uniform(*LIFE))
            finally:
                at = time.monotonic()
                os.kill(process.pid, signal.SIGKILL)
        recover(path)
        with path.open("rb") as file:
            records = Counter(channel.topic for _, channel, _ in make_reader(file).iter_messages())
            file.seek(0)
            decoded = [
                (channel.topic, message)
                for _, channel, _, message in make_reader(
                    file, decoder_factories=[DecoderFactory()]
                ).iter_decoded_messages()
            ]
        by_ros2 = Counter(topic for topic, _ in decoded)
        with AnyReader([path]) as reader:
            by_rosbags = Counter(
                c.topic for c, _, raw in reader.messages() if reader.deserialize(raw, c.msgtype)
            )
        numbers = [int(message.data) for topic, message in decoded if topic == "/words"]
        kept = numbers[JOINING:]
        whole = bool(kept) and kept == list(range(kept[0], kept[-1] + 1)) and is_complete(path)
        return whole, records == by_ros2 == by_rosbags, at - sent[numbers[-1]] if numbers else float("inf")


def until_words(path: Path) -> None:
    """Wait until chunks are in the file."""
    deadline = time.monotonic() + STARTED
    while not (path.exists() and path.stat().st_size > 20_000):
        if time.monotonic() > deadline:
            raise TimeoutError(f"no recording in {path} after {STARTED:g} s")
        time.sleep(0.01)
