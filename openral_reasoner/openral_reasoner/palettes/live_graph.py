"""From what lives in the graph to what the model may name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from openral_core.detectors import DetectorInfo, Health, LifecycleState, Mode
from openral_core.rskills import SkillManifest
from openral_core.scene_graph import NodeKind, Relation, SceneGraph
from openral_core.skills import Verb
from openral_reasoner.palettes.entries import (
    BlindEntry,
    ContinuousDetectorEntry,
    LocatorEntry,
    PlaceEntry,
    SkillEntry,
    ToolPalette,
)

COARSE, TRACE = 10.0, 1.0
"""Step in which memory is planned; what is less than a trace is nothing [MB]."""
_LIVING = (LifecycleState.ACTIVE, LifecycleState.INACTIVE)
_NAMED = (NodeKind.ROOM, NodeKind.PLACE, NodeKind.AGENT)


@dataclass(frozen=True, slots=True)
class DetectorSeen:
    """A detector's latched words, and whether the node behind them lives now."""

    info: DetectorInfo
    alive: bool
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class LiveGraph:
    """A snapshot of the graph as the reasoner's node sees it."""

    detectors: tuple[DetectorSeen, ...] = ()
    memory_alive: bool = False
    skill_server_alive: bool = False
    verbs: tuple[Verb, ...] = ()
    holding: str = ""
    busy: bool = False
    scene: SceneGraph = field(default_factory=SceneGraph)
    peers: tuple[str, ...] = ()


def build_palette(
    graph: LiveGraph, manifests: Iterable[SkillManifest], default_detector: str = ""
) -> ToolPalette:
    """What lives and is not blind, as a palette; ``default_detector`` overrides the detectors' own mark."""
    there = [each.info for each in graph.detectors if each.alive and each.info.state in _LIVING]
    living = [info for info in there if not info.blind]
    locators = tuple(_locator(info, default_detector) for info in living if info.mode is Mode.ON_DEMAND)
    streaming = [i for i in living if i.mode is Mode.CONTINUOUS]
    return ToolPalette(
        detector_available=bool(locators),
        spatial_memory_available=graph.memory_alive,
        continuous_detectors=tuple(_continuous(info) for info in streaming),
        locators=tuple(sorted(locators, key=lambda each: (not each.is_default, each.id))),
        cameras=tuple(dict.fromkeys(camera for each in locators for camera in each.cameras)),
        skills=_skills(graph, manifests),
        peers=tuple(sorted(graph.peers)),
        places=_places(graph.scene) if graph.memory_alive else (),
        holding=graph.holding,
        robot_idle=graph.skill_server_alive and bool(graph.verbs) and not graph.busy,
        blind=tuple(BlindEntry(id=i.name.id, why=i.health_message) for i in there if i.blind),
    )


def _locator(info: DetectorInfo, default: str) -> LocatorEntry:
    return LocatorEntry(
        id=info.name.id,
        aliases=info.name.aliases,
        description=info.description,
        latency=info.latency,
        cameras=info.cameras,
        is_default=info.name.answers_to(default) if default else info.is_default,
        state=info.state,
        memory=_memory(info),
        held=info.memory_resident >= TRACE,
        recovering=info.health is Health.RESTARTING,
        trouble=info.health_message if info.health is Health.RESTARTING else "",
    )


def _continuous(info: DetectorInfo) -> ContinuousDetectorEntry:
    return ContinuousDetectorEntry(
        id=info.name.id,
        description=info.description,
        labels=info.labels,
        cameras=info.cameras,
        state=info.state,
        memory=_memory(info),
        held=info.memory_resident >= TRACE,
    )


def _memory(info: DetectorInfo) -> float:
    """What to plan with: measured once it was, and coarse, so that its jitter changes no palette."""
    return ceil((info.memory_measured or info.memory_declared) / COARSE) * COARSE


def _skills(graph: LiveGraph, manifests: Iterable[SkillManifest]) -> tuple[SkillEntry, ...]:
    if not graph.skill_server_alive:
        return ()
    offered = [m for m in manifests if m.verb in graph.verbs]
    return tuple(
        SkillEntry(
            id=m.id,
            aliases=m.aliases,
            verb=m.verb,
            description=m.description,
            parameters=m.parameters,
            deadline=m.deadline,
            gpu_memory_mb=m.gpu_memory_mb,
        )
        for m in sorted(offered, key=lambda m: m.id)
    )


def _places(scene: SceneGraph) -> tuple[PlaceEntry, ...]:
    rooms = {e.source: e.target for e in scene.edges if e.relation in (Relation.IN_ROOM, Relation.PART_OF)}
    return tuple(
        PlaceEntry(id=n.id, label=n.label, kind=n.kind, room=rooms.get(n.id, ""), aliases=n.aliases)
        for n in sorted(scene.nodes, key=lambda n: (n.kind, n.id))
        if n.kind in _NAMED
    )
