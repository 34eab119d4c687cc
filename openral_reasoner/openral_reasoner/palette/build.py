"""Build the palette from the state of the graph, and describe the changes between two palettes.

The self-descriptions of detectors are bounded, because they reach every prompt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil, isfinite

from openral_core.consent.policy import Policy
from openral_core.detectors import DetectorInfo, Health, LifecycleState, UnplacedDetection
from openral_core.rskills import Mode, SkillManifest
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneGraph
from openral_reasoner.palette.entries import (
    BrainEntry,
    ContinuousDetectorEntry,
    ControlEntry,
    DegradedDetectorEntry,
    ForeignToolEntry,
    InViewEntry,
    LocatorEntry,
    PlaceEntry,
    SkillEntry,
    ToolPalette,
)

LABEL, DESCRIPTION, TROUBLE = 64, 400, 200
"""Longest label or camera, description, and reason of a failure [characters]."""
LABELS, CAMERAS, ALIASES = 400, 16, 8
"""Maximum number per detector; the largest shipped vocabulary has 266 labels."""
LABELS_LENGTH, LABELS_LENGTH_OF_ALL = 8_000, 24_000
"""Longest label lists of one detector and of all [characters]; the shipped 266 labels have 3,000."""
CONSENT_LINES = 32
"""Maximum number of rules listed per skill."""
KINDS_IN_VIEW = 24
"""Maximum number of kinds in view; `list_objects` has every detection."""
DETECTORS = 24
"""Maximum number of detectors listed."""


def cut(text: str, most: int) -> str:
    """Truncate a text, stating how much was left out."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} characters left out)"


def first_labels(labels: tuple[str, ...], sharing: int) -> tuple[str, ...]:
    """Select the labels shown of a detector when ``sharing`` detectors share the total bound."""
    room = min(LABELS_LENGTH, LABELS_LENGTH_OF_ALL // max(sharing, 1))
    short = [label for label in labels if len(label) <= LABEL][:LABELS]
    lengths = accumulate(map(len, short))
    return tuple(label for label, length in zip(short, lengths, strict=True) if length <= room)


def first_cameras(cameras: Iterable[str]) -> tuple[str, ...]:
    """Select the cameras that may be named."""
    return tuple(camera for camera in cameras if len(camera) <= LABEL)[:CAMERAS]


def number(reported: float) -> float:
    """Return a reported number; 0 (unknown) if it is negative or not finite."""
    return reported if isfinite(reported) and reported >= 0.0 else 0.0


COARSE, TRACE = 10.0, 1.0
"""Rounding step of planned memory, and the amount below which memory counts as free [MB]."""
MAX_FLOOR_HEIGHT = 0.04
"""Height up to which a place without a size is a spot on the floor [m]: above a rug, below any furniture."""
_LIVING = (LifecycleState.ACTIVE, LifecycleState.INACTIVE)
_NAMED = (NodeKind.ROOM, NodeKind.PLACE, NodeKind.AGENT)


@dataclass(frozen=True, slots=True)
class DetectorState:
    """Latched info of a detector, liveness of its node, and the namespace of its topics."""

    info: DetectorInfo
    alive: bool
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class GraphState:
    """Snapshot of the graph as the reasoner's node sees it."""

    detectors: tuple[DetectorState, ...] = ()
    memory_alive: bool = False
    skill_server_alive: bool = False
    verbs: tuple[Verb, ...] = ()
    holding: str = ""
    busy: bool = False
    policy: Policy = field(default_factory=Policy)
    scene: SceneGraph = field(default_factory=SceneGraph)
    in_view: tuple[UnplacedDetection, ...] = ()
    peers: tuple[str, ...] = ()
    brain: BrainEntry | None = None


def build_palette(
    graph: GraphState,
    manifests: Iterable[SkillManifest],
    configured_default_locator: str = "",
    foreign_tools: tuple[ForeignToolEntry, ...] = (),
) -> ToolPalette:
    """Build a bounded palette of the peers that are alive and not degraded.

    ``configured_default_locator`` overrides the detectors' own default flags, even while it is absent.
    """
    available = [each.info for each in graph.detectors if each.alive and each.info.state in _LIVING]
    default_locator = pick_default_locator(available, configured_default_locator)
    detectors = sorted(available, key=lambda info: (info.name.id != default_locator, info.name.id))
    listed = detectors[:DETECTORS]
    living = [info for info in listed if not info.degraded]
    locators = [info for info in living if info.mode is Mode.ON_DEMAND]
    streaming = [info for info in living if info.mode is Mode.CONTINUOUS]
    return ToolPalette(
        detector_available=bool(locators),
        spatial_memory_available=graph.memory_alive,
        continuous_detectors=tuple(continuous_entry(info, len(streaming)) for info in streaming),
        locators=tuple(locator_entry(info, info.name.id == default_locator) for info in locators),
        cameras=tuple(dict.fromkeys(c for info in locators for c in first_cameras(info.cameras))),
        skills=skill_entries(graph, manifests),
        peers=tuple(sorted(graph.peers)),
        places=place_entries(graph.scene) if graph.memory_alive else (),
        controls=control_entries(graph.scene) if graph.memory_alive else (),
        in_view=view_entries(graph),
        foreign_tools=foreign_tools,
        brain=graph.brain,
        holding=graph.holding,
        robot_idle=graph.skill_server_alive and bool(graph.verbs) and not graph.busy,
        degraded=tuple(
            DegradedDetectorEntry(id=i.name.id, why=cut(i.health_message, TROUBLE))
            for i in listed
            if i.degraded
        ),
        configured_default_locator=configured_default_locator,
        rivals=tuple(info.name.id for info in listed if info.is_default and info.name.id != default_locator),
        unlisted=len(detectors) - len(listed),
    )


def view_entries(graph: GraphState) -> tuple[InViewEntry, ...]:
    """List what is in view of a robot whose memory has no object: others are found there."""
    if graph.scene.of_kind(NodeKind.OBJECT):
        return ()
    cameras: dict[str, set[str]] = {}
    for each in graph.in_view:
        cameras.setdefault(cut(each.label, LABEL), set()).add(cut(each.camera, LABEL))
    kinds = sorted(cameras)[:KINDS_IN_VIEW]
    return tuple(InViewEntry(label=each, cameras=tuple(sorted(cameras[each]))) for each in kinds)


def pick_default_locator(available: Iterable[DetectorInfo], configured: str) -> str:
    """Return the id of the locator asked first: the configured one, else the first default; "" for none."""
    locators = sorted((i for i in available if i.mode is Mode.ON_DEMAND), key=lambda i: i.name.id)
    marked = (i.name.id for i in locators if (i.name.answers_to(configured) if configured else i.is_default))
    return next(marked, "")


def locator_entry(info: DetectorInfo, is_default: bool) -> LocatorEntry:
    """Build the entry of a locator."""
    return LocatorEntry(
        id=info.name.id,
        aliases=info.name.aliases[:ALIASES],
        description=cut(info.description, DESCRIPTION),
        latency=number(info.latency),
        cameras=first_cameras(info.cameras),
        is_default=is_default,
        state=info.state,
        memory=planned_memory(info),
        held=info.memory_resident >= TRACE,
        recovering=info.health is Health.RESTARTING,
        trouble=cut(info.health_message, TROUBLE) if info.health is Health.RESTARTING else "",
    )


def continuous_entry(info: DetectorInfo, sharing: int) -> ContinuousDetectorEntry:
    """Build the entry of a continuous detector when ``sharing`` of them share the bound on labels."""
    labels = first_labels(info.labels, sharing)
    return ContinuousDetectorEntry(
        id=info.name.id,
        description=cut(info.description, DESCRIPTION),
        labels=labels,
        labels_left_out=len(info.labels) - len(labels),
        cameras=first_cameras(info.cameras),
        state=info.state,
        memory=planned_memory(info),
        held=info.memory_resident >= TRACE,
    )


def planned_memory(info: DetectorInfo) -> float:
    """Return the measured, else the declared memory, rounded so that jitter does not change the palette."""
    return ceil((number(info.memory_measured) or number(info.memory_declared)) / COARSE) * COARSE


def skill_entries(graph: GraphState, manifests: Iterable[SkillManifest]) -> tuple[SkillEntry, ...]:
    """Build the entries of the skills whose verbs the skill server offers."""
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
            consent=tuple(cut(line, TROUBLE) for line in graph.policy.in_words(m.verb)[:CONSENT_LINES]),
        )
        for m in sorted(offered, key=lambda m: m.id)
    )


def place_entries(scene: SceneGraph) -> tuple[PlaceEntry, ...]:
    """Build the entries of the places, rooms and agents of the scene graph."""
    rooms = {e.source: e.target for e in scene.edges if e.relation in (Relation.IN_ROOM, Relation.PART_OF)}
    return tuple(
        PlaceEntry(
            id=n.id,
            label=n.label,
            kind=n.kind,
            room=rooms.get(n.id, ""),
            aliases=n.aliases,
            on_floor=n.kind is NodeKind.PLACE and not any(n.size) and n.pose.position[2] <= MAX_FLOOR_HEIGHT,
            closed=n.kind is NodeKind.PLACE and n.occludes_contents and n.opening is not Opening.OPEN,
            # Without their age, which would change the palette every second.
            states=tuple(state.in_words() for state in n.states),
            size=_to_centimetres(n.size) if n.kind is NodeKind.PLACE else (0.0, 0.0, 0.0),
        )
        for n in sorted(scene.nodes, key=lambda n: (n.kind, n.id))
        if n.kind in _NAMED
    )


def _to_centimetres(size: tuple[float, float, float]) -> tuple[float, float, float]:
    """Round a size in [m]: small corrections of found furniture are no news."""
    x, y, z = size
    return round(x, 2), round(y, 2), round(z, 2)


def control_entries(scene: SceneGraph) -> tuple[ControlEntry, ...]:
    """Build the entries of the switches, buttons and knobs whose appliance the scene graph has."""
    whole = {e.source: e.target for e in scene.edges if e.relation is Relation.PART_OF}
    rooms = {e.source: e.target for e in scene.edges if e.relation is Relation.IN_ROOM}
    return tuple(
        ControlEntry(
            id=node.id,
            label=node.label,
            kind=node.affordance,
            controls=appliance.id,
            appliance=appliance.label,
            aliases=appliance.aliases,
            room=rooms.get(node.id, ""),
            state=", ".join(state.in_words() for state in appliance.states),
        )
        for node in sorted(scene.nodes, key=lambda n: n.id)
        if node.affordance and (appliance := scene.by_id.get(whole.get(node.id, ""))) is not None
    )


_Detector = LocatorEntry | ContinuousDetectorEntry


def changes(old: ToolPalette, new: ToolPalette) -> tuple[str, ...]:
    """Return one line per difference of what is available to see with and to remember."""
    memory_changed = old.spatial_memory_available != new.spatial_memory_available
    unavailable = "unavailable: its service does not respond or is not active"
    memory = f"spatial memory is {'available' if new.spatial_memory_available else unavailable}"
    return (
        *([memory] if memory_changed else ()),
        *detector_changes("locator", old.locators, new.locators, new),
        *detector_changes("continuous detector", old.continuous_detectors, new.continuous_detectors, new),
        *overrun_changes(old, new),
        *rival_changes(old, new),
        *name_changes("camera", old.cameras, new.cameras, "any locator"),
        *name_changes("lifecycle peer", old.peers, new.peers, "its node"),
    )


def overrun_changes(old: ToolPalette, new: ToolPalette) -> list[str]:
    """Report detectors that are left out of the palette."""
    if new.unlisted <= old.unlisted:
        return []
    return [f"{new.unlisted} detectors in the graph are not listed because the list is full"]


def rival_changes(old: ToolPalette, new: ToolPalette) -> list[str]:
    """Report locators that now claim to be the default too."""
    default_locator = new.default_locator
    first = f"{default_locator.id!r} is asked first" if default_locator else "it is not asked first"
    return [
        f"locator {each!r} also claims to be the default: {first}"
        for each in new.rivals
        if each not in old.rivals
    ]


def name_changes(what: str, old: Sequence[str], new: Sequence[str], source: str) -> list[str]:
    """Report names that have gone or come."""
    gone = [f"{what} {name!r} is no longer available from {source}" for name in old if name not in new]
    come = [f"{what} {name!r} is now available" for name in new if name not in old]
    return gone + come


def detector_changes(
    what: str, old: Sequence[_Detector], new: Sequence[_Detector], palette: ToolPalette
) -> list[str]:
    """Report detectors that have gone, come, failed or changed their state."""
    degraded = {each.id: each.why for each in palette.degraded}
    before = {each.id: each.state for each in old}
    after = {each.id: each.state for each in new}
    moved = [
        f"{what} {name!r} went from {before[name].name} to {state.name}"
        for name, state in after.items()
        if name in before and before[name] is not state
    ]
    failed = [f"{what} {name!r} is blind: {degraded[name]}" for name in before if name in degraded]
    rest = [name for name in before if name not in degraded]
    return name_changes(what, rest, list(after), "its node or service") + failed + moved
