"""Resources of the processes of a graph, and those that remain after them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from dds_ports import ports_of
from graph.faults.deployment import FaultTestDeployment

from openral_bringup.deploy.shared_memory import SHM_FOLDER, SHM_PREFIX


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """Of one node: resident memory with its children [MB], its own descriptors and threads, its children."""

    memory: float
    descriptors: int
    threads: int
    children: int


def resource_usage(rig: FaultTestDeployment) -> Mapping[str, ResourceUsage]:
    """Measure the resources of every running node."""
    found: dict[str, ResourceUsage] = {}
    for key in rig.supervisor.restarts():
        process = rig.node(key)
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            found |= {key: _holding(process)} if process is not None else {}
    return found


def _holding(process: psutil.Process) -> ResourceUsage:
    family = [process, *process.children(recursive=True)]
    memory = sum(item.memory_info().rss for item in family) / 1e6
    return ResourceUsage(round(memory, 1), process.num_fds(), process.num_threads(), len(family) - 1)


def segments_of(processes: Iterable[psutil.Process], domain: int) -> set[Path]:
    """Shared memory of DDS that these processes have mapped: of their own, and ports of their domain."""
    found: set[Path] = set()
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            found |= {Path(memory_map.path) for memory_map in process.memory_maps()}
    names = {path.name for path in found if path.parent == SHM_FOLDER and path.name.startswith(SHM_PREFIX)}
    ports = {name for name in names if name.startswith(f"{SHM_PREFIX}port")}
    return {SHM_FOLDER / name for name in names - ports | ports_of(domain, ports)}


def segments() -> int:
    """Shared-memory files of DDS on this machine, other graphs' too."""
    return sum(1 for _ in SHM_FOLDER.glob(f"{SHM_PREFIX}*"))
