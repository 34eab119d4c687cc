"""Child processes are started, started again, and ended for certain."""

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("ament_index_python")
from openral_bringup.deploy.processes import Respawn
from openral_bringup.deploy.supervisors import Supervisor, child_environment
from openral_bringup.graphs import GraphDescription, NodeSpec
from openral_bringup.graphs.locations import NotInstalled, executable_path

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


def supervised(folder: Path, *nodes: NodeSpec) -> Supervisor:
    return Supervisor(GraphDescription(nodes), folder, child_environment(7, folder))


async def until(condition: Callable[[], bool], timeout: float = 10.0) -> None:
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


def test_back_off_doubles_and_ends() -> None:
    respawn = Respawn(limit=4, back_off=1.0, longest=3.0)
    assert [respawn.wait(deaths) for deaths in range(1, 6)] == [1.0, 2.0, 3.0, 3.0, None]


def test_only_deaths_in_a_row_count() -> None:
    respawn, deaths = Respawn(healthy=60.0), 0
    counted = []
    for ran in (1.0, 2.0, 61.0, 3.0):
        deaths = respawn.in_a_row(deaths, ran)
        counted.append(deaths)
    assert counted == [1, 2, 1, 2]


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(NotInstalled, match="'no_such_package' is not in this environment"):
        executable_path("no_such_package", "node")
