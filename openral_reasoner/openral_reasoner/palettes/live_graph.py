"""From what lives in the graph to what the model may name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from openral_core.detectors import DetectorInfo, Health, LifecycleState, Mode
from openral_core.rskills import SkillManifest
from openral_core.scene_graph import NodeKind, Relation, SceneGraph
from openral_core.skills import Verb
from openral_reasoner.palettes.bounds import (
    ALIASES,
    DESCRIPTION,
    DETECTORS,
    TROUBLE,
    cut,
    first_cameras,
    first_labels,
    number,
)
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
    """What lives and is not blind, as a palette, bounded whatever the detectors say of themselves.

    ``default_detector`` overrides the detectors' own mark, also while it is away.
    """
    there = [each.info for each in graph.detectors if each.alive and each.info.state in _LIVING]
    default = _default(there, default_detector)
    known = sorted(there, key=lambda info: (info.name.id != default, info.name.id))
    listed = known[:DETECTORS]
    living = [info for info in listed if not info.blind]
    locators = [info for info in living if info.mode is Mode.ON_DEMAND]
    streaming = [info for info in living if info.mode is Mode.CONTINUOUS]
    return ToolPalette(
        detector_available=bool(locators),
        spatial_memory_available=graph.memory_alive,
        continuous_detectors=tuple(_continuous(info, len(streaming)) for info in streaming),
        locators=tuple(_locator(info, info.name.id == default) for info in locators),
        cameras=tuple(dict.fromkeys(c for info in locators for c in first_cameras(info.cameras))),
        skills=_skills(graph, manifests),
        peers=tuple(sorted(graph.peers)),
        places=_places(graph.scene) if graph.memory_alive else (),
        holding=graph.holding,
        robot_idle=graph.skill_server_alive and bool(graph.verbs) and not graph.busy,
        blind=tuple(BlindEntry(id=i.name.id, why=cut(i.health_message, TROUBLE)) for i in listed if i.blind),
        chosen_default=default_detector,
        rivals=tuple(info.name.id for info in listed if info.is_default and info.name.id != default),
        unlisted=len(known) - len(listed),
    )


def _default(there: Iterable[DetectorInfo], chosen: str) -> str:
    """Id of the locator asked first: the chosen one, else the first marked as default; "" for none."""
    locators = sorted((i for i in there if i.mode is Mode.ON_DEMAND), key=lambda i: i.name.id)
    marked = (i.name.id for i in locators if (i.name.answers_to(chosen) if chosen else i.is_default))
    return next(marked, "")


def _locator(info: DetectorInfo, is_default: bool) -> LocatorEntry:
    return LocatorEntry(
        id=info.name.id,
        aliases=info.name.aliases[:ALIASES],
        description=cut(info.description, DESCRIPTION),
        latency=number(info.latency),
        cameras=first_cameras(info.cameras),
        is_default=is_default,
        state=info.state,
        memory=_memory(info),
        held=info.memory_resident >= TRACE,
        recovering=info.health is Health.RESTARTING,
        trouble=cut(info.health_message, TROUBLE) if info.health is Health.RESTARTING else "",
    )


def _continuous(info: DetectorInfo, sharing: int) -> ContinuousDetectorEntry:
    labels = first_labels(info.labels, sharing)
    return ContinuousDetectorEntry(
        id=info.name.id,
        description=cut(info.description, DESCRIPTION),
        labels=labels,
        labels_left_out=len(info.labels) - len(labels),
        cameras=first_cameras(info.cameras),
        state=info.state,
        memory=_memory(info),
        held=info.memory_resident >= TRACE,
    )


def _memory(info: DetectorInfo) -> float:
    """What to plan with: measured once it was, and coarse, so that its jitter changes no palette."""
    return ceil((number(info.memory_measured) or number(info.memory_declared)) / COARSE) * COARSE


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
