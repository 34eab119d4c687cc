"""Child processes are started, started again, and ended for certain."""

import asyncio
import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("ament_index_python")
from openral_bringup.deploy.process_supervisor import (
    ProcessSupervisor,
    Respawn,
    RunLogs,
    child_environment,
)
from openral_bringup.graph.description import GraphDescription, own_variables
from openral_bringup.graph.middleware import PROFILES
from openral_bringup.graph.nodes import NodeSpec

Install = Callable[[str, str], NodeSpec]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a shell script as the node of a package of its own."""

    def make(name: str, script: str) -> NodeSpec:
        index = tmp_path / "share" / "ament_index" / "resource_index" / "packages"
        index.mkdir(parents=True, exist_ok=True)
        (index / name).touch()
        file = tmp_path / "lib" / name / "node"
        file.parent.mkdir(parents=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}:{os.environ.get('AMENT_PREFIX_PATH', '')}")
        return NodeSpec(name, name, "node", parameters={"seed": 3})

    return make


def supervised(folder: Path, *nodes: NodeSpec) -> ProcessSupervisor:
    return ProcessSupervisor(GraphDescription(nodes), folder, child_environment(7, folder))


async def until(condition: Callable[[], bool], timeout: float = 30.0) -> None:
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.02)


def alive(pid: int | None) -> bool:
    return pid is not None and Path(f"/proc/{pid}").exists()


def test_what_a_node_prints_is_kept_with_its_name(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        supervisor = supervised(
            tmp_path, install("talker", 'echo "[ERROR] domain $ROS_DOMAIN_ID"; exec sleep 60')
        )
        supervisor.start()
        await until(lambda: bool(supervisor.logs.alarms))
        await supervisor.stop()
        assert list(supervisor.logs.alarms) == ["[talker] [ERROR] domain 7"]

    asyncio.run(scenario())
    assert (tmp_path / "logs" / "all.log").read_text() == "[talker] [ERROR] domain 7\n"
    assert "seed: 3" in (tmp_path / "params" / "talker.yaml").read_text()


def test_a_node_that_dies_is_started_again(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        supervisor = supervised(tmp_path, install("fragile", "exec sleep 60"))
        supervisor.start()
        process = supervisor.processes[0]
        await until(lambda: alive(process.pid))
        first = process.pid
        assert first is not None
        os.kill(first, 9)
        await until(lambda: process.deaths == 1 and alive(process.pid))
        assert process.pid != first
        await supervisor.stop()
        assert not alive(process.pid)

    asyncio.run(scenario())


def test_a_robot_that_never_ran_gets_a_record_of_that_and_a_node_that_died_gets_none(
    tmp_path: Path, install: Install
) -> None:
    file = tmp_path / "recording" / "emergency_stop.json"
    node = replace(install("sim", f"rm {file}; exit 1"), parameters={"stop_file": str(file)})
    supervisor = ProcessSupervisor(
        GraphDescription((node,)), tmp_path / "run", child_environment(7, tmp_path), Respawn(back_off=0.05)
    )

    async def run() -> None:
        supervisor.start()
        assert json.loads(file.read_text())["owner"] == f"{node.qualified} in {file}"
        await until(lambda: supervisor.processes[0].deaths >= 2)
        await supervisor.stop()

    asyncio.run(run())
    assert not file.exists()


def test_the_deaths_of_a_container_are_those_of_each_of_its_nodes(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        members = (NodeSpec("world_state", "p", "e"), NodeSpec("reasoner", "p", "e"))
        container = replace(install("container", "exec sleep 60"), members=members)
        supervisor = supervised(tmp_path, install("apart", "exec sleep 60"), container)
        supervisor.start()
        process = supervisor.processes[1]
        await until(lambda: alive(process.pid))
        os.kill(process.pid or 0, 9)
        await until(lambda: process.deaths == 1)
        assert supervisor.restarts() == {"apart": 0, "world_state": 1, "reasoner": 1}
        await supervisor.stop()

    asyncio.run(scenario())


def test_a_node_that_has_run_for_long_is_restarted_on_request(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        supervisor = supervised(tmp_path, install("deaf", "exec sleep 60"))
        supervisor.start()
        process = supervisor.processes[0]
        await until(lambda: alive(process.pid))
        first = process.pid
        process.restart_if_older(60.0, "it has not answered")
        assert alive(first)
        process.restart_if_older(0.0, "it has not answered")
        await until(lambda: process.deaths == 1 and alive(process.pid))
        assert process.pid != first
        assert "it has not answered; its process is killed" in supervisor.logs.alarms[0]
        await supervisor.stop()

    asyncio.run(scenario())


def test_a_node_that_ignores_every_request_to_end_is_killed(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        script = "trap '' INT TERM; echo ready; while true; do sleep 0.1; done"
        supervisor = supervised(tmp_path, install("stubborn", script), install("polite", "exec sleep 60"))
        supervisor.start()
        log = tmp_path / "logs" / "stubborn.log"
        await until(lambda: log.exists() and "ready" in log.read_text())
        pids = [process.pid for process in supervisor.processes]
        await supervisor.stop()
        assert not any(alive(pid) for pid in pids)

    asyncio.run(scenario())


def test_a_log_that_cannot_be_written_ends_no_supervision(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        (tmp_path / "logs").mkdir()
        for name in ("talker", "all"):
            (tmp_path / "logs" / f"{name}.log").symlink_to("/dev/full")
        supervisor = supervised(tmp_path, install("talker", "echo one; echo two; exec sleep 60"))
        supervisor.start()
        await until(lambda: bool(supervisor.logs.alarms))
        process = supervisor.processes[0]
        first = process.pid
        assert first is not None
        os.kill(first, 9)
        await until(lambda: process.deaths == 1 and alive(process.pid))
        await supervisor.stop()
        assert not alive(process.pid)
        reported = [alarm for alarm in supervisor.logs.alarms if "No space left" in alarm]
        assert len(reported) == 1, "told once, however many lines are lost"

    asyncio.run(scenario())


def test_what_counts_as_ended_is_the_process_and_not_who_follows_it(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        script = "trap '' INT; echo ready; while true; do sleep 0.1; done"
        supervisor = supervised(tmp_path, install("stubborn", script))
        supervisor.start()
        log = tmp_path / "logs" / "stubborn.log"
        await until(lambda: log.exists() and "ready" in log.read_text())
        pid = supervisor.processes[0].pid
        for task in supervisor._tasks:
            task.cancel()
        await supervisor.stop()
        assert not alive(pid)
        await asyncio.sleep(0.5)  # its pipe ends with the last of its own children

    asyncio.run(scenario())


def test_a_node_that_cannot_be_started_is_tried_again_and_given_up(tmp_path: Path, install: Install) -> None:
    async def scenario() -> None:
        spec = install("broken", "exec sleep 60")
        supervisor = ProcessSupervisor(
            GraphDescription((spec,)), tmp_path, child_environment(7, tmp_path), Respawn(1, back_off=0.01)
        )
        (process,) = supervisor.processes
        process._command = [str(tmp_path / "nothing-there")]
        supervisor.start()
        await until(lambda: process.given_up)
        assert process.deaths == 2
        await supervisor.stop()

    asyncio.run(scenario())
    assert "could not be started" in (tmp_path / "logs" / "broken.log").read_text()


def test_logs_are_bounded(tmp_path: Path) -> None:
    logs = RunLogs(tmp_path, max_size=1000)
    for number in range(1000):
        logs.write("talker", f"line {number}")
    logs.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "all.1.log",
        "all.log",
        "talker.1.log",
        "talker.log",
    ]
    assert all(path.stat().st_size < 1100 for path in tmp_path.iterdir())
    assert (tmp_path / "talker.log").read_text().endswith("line 999\n")


def test_logs_are_written_again_when_there_is_room(tmp_path: Path) -> None:
    logs, links = RunLogs(tmp_path), [tmp_path / f"{name}.log" for name in ("talker", "all")]
    for link in links:
        link.symlink_to("/dev/full")
    for number in range(3):
        logs.write("talker", f"lost {number}")
    for link in links:
        link.unlink()
    logs.write("talker", "kept 1")
    logs.write("talker", "kept 2")
    logs.close()
    assert links[0].read_text() == "kept 1\nkept 2\n"
    assert len(logs.alarms) == 2
    assert "Cannot write logs" in logs.alarms[0]
    assert "written again" in logs.alarms[1]
    assert "3 lines are lost" in logs.alarms[1]


def test_a_key_is_given_to_the_reasoner_alone(
    tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN")
    for name in secrets:
        monkeypatch.setenv(name, f"secret-of-{name}")
    monkeypatch.setenv("OPENRAL_PASS", "ROBOT_NAME, CAMERA_*")
    monkeypatch.setenv("CAMERA_SERIAL", "17")

    async def scenario() -> None:
        names = ("reasoner", "detector")
        reasoner, detector = (install(name, "env; echo done; exec sleep 60") for name in names)
        nodes = (replace(reasoner, own=own_variables("anthropic")), detector)
        supervisor = supervised(tmp_path, *nodes)
        supervisor.start()
        logs = [tmp_path / "logs" / f"{name}.log" for name in names]
        await until(lambda: all(log.exists() and "done" in log.read_text() for log in logs))
        await supervisor.stop()

    asyncio.run(scenario())
    printed = {name: (tmp_path / "logs" / f"{name}.log").read_text() for name in ("reasoner", "detector")}
    assert "secret-of-ANTHROPIC_API_KEY" in printed["reasoner"]
    assert printed["reasoner"].count("secret-of") == 1
    assert "secret-of" not in printed["detector"]
    for name in ("PATH=", "HOME=", "AMENT_PREFIX_PATH=", "ROS_DOMAIN_ID=7", "CAMERA_SERIAL=17"):
        assert name in printed["detector"]


def test_back_off_doubles_and_ends() -> None:
    respawn = Respawn(limit=4, back_off=1.0, longest=3.0)
    assert [respawn.delay(deaths) for deaths in range(1, 6)] == [1.0, 2.0, 3.0, 3.0, None]


def test_only_deaths_in_a_row_count() -> None:
    respawn, deaths = Respawn(healthy=60.0), 0
    counted = []
    for ran in (1.0, 2.0, 61.0, 3.0):
        deaths = respawn.in_a_row(deaths, ran)
        counted.append(deaths)
    assert counted == [1, 2, 1, 2]


def test_processes_find_each_other_soon_unless_the_user_chose_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*PROFILES, "RMW_IMPLEMENTATION"):
        monkeypatch.delenv(name, raising=False)
    given = child_environment(7, tmp_path)[PROFILES[0]]
    assert "<leaseAnnouncement>" in Path(given).read_text()
    monkeypatch.setenv(PROFILES[0], given)  # as for the monitor's own participant
    assert child_environment(7, tmp_path)[PROFILES[0]] == given
    monkeypatch.setenv(PROFILES[0], "mine.xml")
    assert child_environment(7, tmp_path)[PROFILES[0]] == "mine.xml"
    monkeypatch.setenv(PROFILES[0], "")
    monkeypatch.setenv("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp")
    assert child_environment(7, tmp_path)[PROFILES[0]] == ""


def test_nodes_stay_on_this_machine_whatever_the_environment_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": "10.0.0.9"}
    for name, value in exported.items():
        monkeypatch.setenv(name, value)
    limited = child_environment(7, tmp_path)
    assert limited["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert "ROS_STATIC_PEERS" not in limited
    monkeypatch.setenv("OPENRAL_DISCOVERY", "subnet")
    opened = child_environment(7, tmp_path)
    assert {name: opened[name] for name in exported} == exported
