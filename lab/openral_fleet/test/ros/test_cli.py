"""Commands of a fleet: exit codes, and a dispatcher that is killed while two robots work."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
from openral_fleet.errands import parse_errands
from openral_fleet.records import ErrandRecord, ErrandState
from openral_fleet.ros.cli import exit_code

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]
HERE = Path(__file__).parent
GOALS = ("bring me the mug", "bring me the bowl", "find the spoon", "bring me the cup")


@pytest.mark.parametrize(
    ("states", "code"),
    [
        (("done", "done"), 0),
        (("done", "claimed"), 5),
        (("claimed", "handed_over"), 3),
        (("handed_over", "failed"), 1),
        (("done", "cancelled"), 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_end(states: tuple[str, ...], code: int) -> None:
    (errand,) = parse_errands({"errands": ["find the mug"]}).errands
    records = tuple(ErrandRecord(errand=errand, state=ErrandState(state)) for state in states)
    assert exit_code(records) == code


@pytest.fixture
def robots(ros_domain: int, tmp_path: Path) -> Iterator[Path]:
    """Two robots; the file of their acting steps."""
    effects = tmp_path / "effects.txt"
    script = str(HERE / "fake_reasoner.py")
    env = {k: v for k, v in os.environ.items() if k != "ROS_PYTHON_CHECK_FIELDS"}
    started = [
        subprocess.Popen([sys.executable, "-P", script, name, "4.0", str(effects), "journal"], env=env)
        for name in ("/r1", "/r2")
    ]
    yield effects
    for process in started:
        process.send_signal(signal.SIGINT)
    for process in started:
        process.wait(20.0)


def fleet(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-c", "from openral_fleet.ros.cli import commands; commands()", "fleet"]
    env = {k: v for k, v in os.environ.items() if k != "ROS_PYTHON_CHECK_FIELDS"}
    return subprocess.Popen(
        [*command, *words], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_a_killed_dispatcher_is_run_again_and_no_errand_is_done_twice(robots: Path, tmp_path: Path) -> None:
    errands = tmp_path / "errands.txt"
    errands.write_text("\n".join(GOALS))
    arguments = ("run", str(errands), "--robots", "r1,r2", "--patience", "60", "--mission-seconds", "20")
    killed = fleet(tmp_path, *arguments)
    end = time.monotonic() + 100.0
    while not robots.exists():
        assert time.monotonic() < end, "no robot has begun"
        assert killed.poll() is None, killed.communicate()[0]
        time.sleep(0.05)
    killed.kill()
    killed.communicate()
    again = fleet(tmp_path, *arguments)
    shown = fleet(tmp_path, "status", "--timeout", "60")
    assert "bring me the bowl" in shown.communicate(timeout=100.0)[0]
    output = again.communicate(timeout=200.0)[0]
    assert again.returncode == 0, output
    acted = [line.split(" ", 1)[1] for line in robots.read_text().splitlines() if " find " not in line]
    assert sorted(acted) == sorted(goal for goal in GOALS if "find" not in goal)


def test_a_wrong_list_is_refused_before_anything_starts(ros_domain: int, tmp_path: Path) -> None:
    errands = tmp_path / "errands.yaml"
    errands.write_text("errands: [stop]")
    refused = fleet(tmp_path, "run", str(errands), "--robots", "r1")
    output = refused.communicate(timeout=100.0)[0]
    assert refused.returncode != 0
    assert "'stop' is no goal" in output


def test_a_command_without_a_dispatcher_says_so(ros_domain: int, tmp_path: Path) -> None:
    for words in (
        ("status", "--timeout", "1"),
        ("cancel", "--timeout", "1"),
        ("lost", "r1", "--timeout", "1"),
    ):
        asked = fleet(tmp_path, *words)
        assert "in this ROS_DOMAIN_ID" in asked.communicate(timeout=100.0)[0]
        assert asked.returncode != 0
