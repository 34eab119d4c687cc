"""Console beside a played robot: paint, latency, cost, memory over time, many viewers, 20,000 objects.

MINUTES=n in the environment is the time over which memory is compared, else 30. Needs Chromium.
"""

import os
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

import httpx2
import psutil
from playwright.sync_api import Page

from openral_msgs.msg import WorldState
from openral_ros.node_thread import NodeThread
from openral_ros.qos import RELIABLE
from openral_testing.browser import WIDE, chromium
from openral_testing.ros.robot import Robot, mission, scene

LONG = True
CONSOLE = "from openral_console.ros.cli import commands; commands(['--port', '0', '--allow-actions'])"
PAINTS, CHANGES = 7, 60
WATCHED = 15.0
"""Time over which processor time, rates and frames are taken [s]."""
SETTLING = 4.0
"""Time after which subscriptions have begun or ended [s]."""
VIEWERS = 10
MANY = 20_000
PAINTED = """new MutationObserver(() => {
  const there = !window.painted && document.querySelector('main .card h1');
  if (there) requestAnimationFrame(() => { window.painted ??= performance.now(); });
}).observe(document, {subtree: true, childList: true})"""
NOTED = """window.seen = {}; new MutationObserver(() => {
  const found = /change (\\d+)/.exec(document.querySelector('main').textContent);
  if (found) window.seen[found[1]] ??= Date.now();
}).observe(document.querySelector('main'), {subtree: true, childList: true, characterData: true})"""
FRAMES = """seconds => new Promise(done => {
  const canvas = document.getElementById('home'); const times = [];
  const step = now => {
    times.push(now);
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}));
    if (now - times[0] < 1000 * seconds) requestAnimationFrame(step);
    else done((1000 * (times.length - 1)) / (now - times[0]));
  };
  requestAnimationFrame(step);
})"""
BLANK = """seconds => new Promise(done => {
  const times = [];
  const step = now => {
    times.push(now);
    if (now - times[0] < 1000 * seconds) requestAnimationFrame(step);
    else done((1000 * (times.length - 1)) / (now - times[0]));
  };
  requestAnimationFrame(step);
})"""
Row = dict[str, object]


def run() -> list[Row]:
    """One row per figure, with its aim."""
    minutes = float(os.environ.get("MINUTES", "30"))
    with ExitStack() as stack:
        robot = Robot(int(os.environ["ROS_DOMAIN_ID"]))
        stack.callback(robot.close)
        process, url = stack.enter_context(console())
        rate = stack.enter_context(rates())
        rows = [processor("not watched", process, 1.0)]
        alone = rate(WATCHED)
        browser = stack.enter_context(chromium())
        rows.append(first_paint(browser.new_page(viewport=WIDE, bypass_csp=True), url))
        page = browser.new_page(viewport=WIDE, bypass_csp=True)
        rows.append(latency(page, url, robot))
        page.goto(f"{url}#home")
        time.sleep(SETTLING)
        rows.append(processor("home watched", process, 10.0))
        rows += memory(page, process, robot, 60.0 * minutes)
        page.goto(f"{url}#health")
        time.sleep(SETTLING)
        rows.append(figure("image subscriptions while no page shows images", robot.image_subscribers(), "0"))
        with viewers(url):
            rows.append(
                figure(
                    f"robot's rate with {VIEWERS} viewers and one that never reads, of that alone [1]",
                    round(rate(WATCHED) / alone, 3),
                    "1",
                )
            )
        rows.append(figure("robot's rate alone [Hz]", round(alone, 2), "5"))
        rows += crowd(page, url, robot)
    return rows


def figure(name: str, value: object, aim: str) -> Row:
    """Return a figure with its aim and the load of the machine."""
    return {"figure": name, "value": value, "aim": aim, "load": round(os.getloadavg()[0], 1)}


@contextmanager
def console() -> Iterator[tuple[psutil.Process, str]]:
    """`openral console` as a process of its own, and its address."""
    process = subprocess.Popen([sys.executable, "-c", CONSOLE], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        time.sleep(SETTLING)
        yield psutil.Process(process.pid), found.group()
    finally:
        process.terminate()
        process.wait(20.0)


@contextmanager
def rates() -> Iterator[Callable[[float], float]]:
    """A subscriber of the robot: messages a second over a time [s]."""
    heard = [0]

    def count(message: WorldState) -> None:
        heard[0] += 1

    with NodeThread("rates", domain=int(os.environ["ROS_DOMAIN_ID"])) as thread:
        thread.post(lambda: thread.scope.subscription(WorldState, "openral/world_state", count, RELIABLE))
        time.sleep(SETTLING)

        def rate(seconds: float) -> float:
            before, started = heard[0], time.monotonic()
            time.sleep(seconds)
            return (heard[0] - before) / (time.monotonic() - started)

        yield rate


def processor(state: str, process: psutil.Process, aim: float) -> Row:
    """Processor time of the console over a while."""
    before = sum(process.cpu_times()[:2])
    time.sleep(WATCHED)
    used = 100.0 * (sum(process.cpu_times()[:2]) - before) / WATCHED
    return figure(f"console {state} [% of a core]", round(used, 1), f"< {aim:g}")


def first_paint(page: Page, url: str) -> Row:
    """Time from the navigation until the mission is drawn."""
    page.add_init_script(PAINTED)
    found = []
    for _ in range(PAINTS):
        page.goto(f"{url}#mission")
        page.wait_for_function("window.painted", timeout=60_000)
        found.append(float(page.evaluate("window.painted")))
        page.goto("about:blank")
    page.close()
    return figure("first useful paint, median [ms]", round(statistics.median(found)), "< 1000")


def latency(page: Page, url: str, robot: Robot) -> Row:
    """Time from the publication of a change until it is in the page."""
    page.goto(f"{url}#mission")
    page.wait_for_selector("main h1")
    page.evaluate(NOTED)
    sent: dict[int, float] = {}
    for place in range(CHANGES):
        sent[place] = 1000.0 * time.time()
        robot.mission.publish(mission(step=f"change {place}"))
        page.wait_for_function(f"window.seen[{place}]", timeout=30_000, polling=20)
    seen = page.evaluate("window.seen")
    taken = sorted(float(seen[str(place)]) - at for place, at in sent.items())
    return figure("change on the robot to the page, p95 [ms]", round(taken[int(0.95 * CHANGES)]), "< 250")


def memory(page: Page, process: psutil.Process, robot: Robot, seconds: float) -> list[Row]:
    """Growth of page and server while the home is open and the robot changes twice a second."""
    held = [held_by(page, process)]
    end, place = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for _ in range(40):
            place += 1
            robot.mission.publish(mission(step=f"step {place}"))
            page.wait_for_timeout(500)
        held.append(held_by(page, process))
    third = max(1, len(held) // 3)
    rows = []
    for index, name in enumerate(("page", "server")):
        values = [each[index] for each in held]
        early, late = (statistics.mean(part) for part in (values[1 : 1 + third], values[-third:]))
        rows.append(
            figure(
                f"{name}: first and last third of {seconds / 60:g} min [MB]",
                f"{early:.1f}, {late:.1f}",
                "flat",
            )
        )
    return rows


def held_by(page: Page, process: psutil.Process) -> tuple[float, float]:
    """Heap of the page after a collection, and resident memory of the server [MB]."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used / 1e6, process.memory_info().rss / 1e6


@contextmanager
def viewers(url: str) -> Iterator[None]:
    """Event streams that are read, and one that never is."""
    stop = Event()

    def read() -> None:
        with (
            httpx2.Client(base_url=url, timeout=30.0, trust_env=False) as client,
            client.stream("GET", "/api/events") as stream,
        ):
            for _ in stream.iter_lines():
                if stop.is_set():
                    return

    host, port = url.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port))) as idle:
        idle.sendall(f"GET /api/events HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode())
        threads = [Thread(target=read, daemon=True) for _ in range(VIEWERS)]
        for thread in threads:
            thread.start()
        time.sleep(SETTLING)
        yield
        stop.set()
        for thread in threads:
            thread.join(20.0)


def crowd(page: Page, url: str, robot: Robot) -> list[Row]:
    """Frames a second of the home with many objects, beside those of the page that draws nothing."""
    robot.scene.publish(scene(MANY))
    page.goto(f"{url}#home")
    page.wait_for_function(
        "document.querySelector('#drawn')?.textContent.includes('left out')", timeout=60_000
    )
    drawn = page.inner_text("#drawn").partition(". ")[0]
    full = float(page.evaluate(FRAMES, 5.0))
    blank = float(page.evaluate(BLANK, 5.0))
    return [
        figure(f"home with {MANY} objects, turned in every frame [frames/s]", round(full, 1), ">= 30"),
        figure("the same page without drawing [frames/s]", round(blank, 1), ""),
        figure("what it says", drawn, "what it leaves out"),
    ]
