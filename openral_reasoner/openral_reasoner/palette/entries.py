"""Entries of the palette: every id that a tool call may use."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from openral_core.detectors import LifecycleState
from openral_core.rskills import ParameterSpec, slug
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind

OF_CONTROLS = (Verb.SWITCH, Verb.PRESS)
"""Verbs that work a switch, button or knob."""


class PaletteEntry(BaseModel):
    """Base class of the entries."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ContinuousDetectorEntry(PaletteEntry):
    """Detector that streams detections of its own labels into memory; ``memory`` [MB] while active.

    ``labels_left_out`` counts the labels beyond the bounds of the palette.
    """

    id: str
    description: str
    labels: tuple[str, ...]
    labels_left_out: int = 0
    cameras: tuple[str, ...] = ()
    state: LifecycleState = LifecycleState.ACTIVE
    memory: float = 0.0
    held: bool = False


class LocatorEntry(PaletteEntry):
    """Detector that answers `locate_in_view`; ``latency`` [s], ``memory`` [MB] while active.

    ``held`` is True while it is measured to hold memory, in any state. While it is ``recovering`` its worker
    is being restarted; ``trouble`` is the reason its node reports.
    """

    id: str
    aliases: tuple[str, ...] = ()
    description: str
    latency: float
    cameras: tuple[str, ...]
    is_default: bool = False
    state: LifecycleState = LifecycleState.ACTIVE
    memory: float = 0.0
    held: bool = False
    recovering: bool = False
    trouble: str = ""

    @property
    def must_load(self) -> bool:
        """True if its weights must be loaded first."""
        return self.state is not LifecycleState.ACTIVE

    def answers_to(self, name: str) -> bool:
        """Return True if ``name`` is its id, alias or slug."""
        return name in (self.id, slug(self.id), *self.aliases)


class DegradedDetectorEntry(PaletteEntry):
    """Active detector that is not offered because it cannot detect; ``why`` is its node's reason."""

    id: str
    why: str


class BrainEntry(PaletteEntry):
    """Worker of the decision model, which the model cannot name; ``memory`` [MB] while active."""

    id: str
    state: LifecycleState = LifecycleState.ACTIVE
    memory: float = 0.0
    held: bool = False


_Resident = TypeVar("_Resident", LocatorEntry, ContinuousDetectorEntry, BrainEntry)


def _in_state(entry: _Resident, resident: str, state: LifecycleState) -> _Resident:
    return entry.model_copy(update={"state": state}) if entry.id == resident else entry


class SkillEntry(PaletteEntry):
    """Skill that an available skill server executes; ``deadline`` [s].

    ``consent`` has one line per rule of the skill server's policy about its verb.
    """

    id: str
    aliases: tuple[str, ...] = ()
    verb: Verb
    description: str
    parameters: tuple[ParameterSpec, ...] = ()
    deadline: float
    gpu_memory_mb: float = 0.0
    consent: tuple[str, ...] = ()

    def answers_to(self, name: str) -> bool:
        """Return True if ``name`` is its id, alias, slug or verb."""
        return name in (self.id, slug(self.id), *self.aliases, self.verb.value)


class PlaceEntry(PaletteEntry):
    """Place, room or agent that may be a target.

    ``on_floor`` for a place without furniture, or a surface; ``closed`` for a container whose door is not
    known to be open; ``states`` are known and believed, as in "open (seen)"; ``size`` of furniture along
    the axes of its pose in [m], 0 where unknown.
    """

    id: str
    label: str
    kind: NodeKind
    room: str = ""
    aliases: tuple[str, ...] = ()
    on_floor: bool = False
    closed: bool = False
    states: tuple[str, ...] = ()
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def answers_to(self, name: str) -> bool:
        """Return True if ``name`` is its id, label or alias, ignoring case."""
        return name.strip().lower() in map(str.lower, (self.id, self.label, *self.aliases))


class ControlEntry(PaletteEntry):
    """Switch, button or knob, ``kind``, of the appliance ``controls``; ``state`` of that if it is known."""

    id: str
    label: str
    kind: str
    controls: str
    appliance: str
    aliases: tuple[str, ...] = ()
    room: str = ""
    state: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what it controls."""
        return (self.appliance, *self.aliases)

    def answers_to(self, name: str) -> bool:
        """Return True if ``name`` is its id or label, or names its appliance, ignoring case."""
        names = (self.id, self.label, self.controls, *self.names)
        return name.strip().lower() in map(str.lower, names)


class InViewEntry(PaletteEntry):
    """Kind of object in current images of these cameras that has no place in the map."""

    label: str
    cameras: tuple[str, ...]


class ForeignToolEntry(PaletteEntry):
    """Tool of another ``package`` that the deployment names; ``parameters`` is a JSON schema as text."""

    id: str
    package: str
    description: str
    parameters: str


class ToolPalette(PaletteEntry):
    """Every id that the model may use in one decision.

    ``configured_default_locator`` is the one that the deployment configures, present or not. ``rivals`` also
    claim to be the default. ``unlisted`` counts the detectors beyond the bound. Recordings name the
    ``degraded`` detectors "blind", and the configured locator "chosen_default".
    """

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    detector_available: bool = False
    spatial_memory_available: bool = False
    continuous_detectors: tuple[ContinuousDetectorEntry, ...] = ()
    locators: tuple[LocatorEntry, ...] = ()
    cameras: tuple[str, ...] = ()
    skills: tuple[SkillEntry, ...] = ()
    peers: tuple[str, ...] = ()
    places: tuple[PlaceEntry, ...] = ()
    controls: tuple[ControlEntry, ...] = ()
    in_view: tuple[InViewEntry, ...] = ()
    foreign_tools: tuple[ForeignToolEntry, ...] = ()
    brain: BrainEntry | None = None
    holding: str = ""
    robot_idle: bool = False
    degraded: tuple[DegradedDetectorEntry, ...] = Field(
        default=(), validation_alias="blind", serialization_alias="blind"
    )
    configured_default_locator: str = Field(
        default="", validation_alias="chosen_default", serialization_alias="chosen_default"
    )
    rivals: tuple[str, ...] = ()
    unlisted: int = 0

    @property
    def detectors(self) -> tuple[LocatorEntry | ContinuousDetectorEntry, ...]:
        """All detectors."""
        return (*self.locators, *self.continuous_detectors)

    @property
    def residents(self) -> tuple[LocatorEntry | ContinuousDetectorEntry | BrainEntry, ...]:
        """All that hold memory while active: the detectors, and the model's worker if it has one."""
        return (*self.detectors, self.brain) if self.brain is not None else self.detectors

    @property
    def movable(self) -> tuple[str, ...]:
        """Ids of what may be activated and deactivated: the lifecycle peers, and the model's worker."""
        return (*self.peers, self.brain.id) if self.brain is not None else self.peers

    @property
    def awake(self) -> frozenset[str]:
        """Ids of the active residents."""
        return frozenset(each.id for each in self.residents if each.state is LifecycleState.ACTIVE)

    def with_state(self, resident: str, state: LifecycleState) -> "ToolPalette":
        """Return this palette after a transition of one resident."""
        streaming = tuple(_in_state(each, resident, state) for each in self.continuous_detectors)
        return self.model_copy(
            update={
                "locators": tuple(_in_state(each, resident, state) for each in self.locators),
                "continuous_detectors": streaming,
                "brain": None if self.brain is None else _in_state(self.brain, resident, state),
            }
        )

    @property
    def default_locator(self) -> LocatorEntry | None:
        """The locator asked if a call names none."""
        marked = (each for each in self.locators if each.is_default)
        return next(marked, self.locators[0] if self.locators else None)

    def locator(self, name: str) -> LocatorEntry | None:
        """Return the locator with this name; "" is the default."""
        if not name:
            return self.default_locator
        return next((each for each in self.locators if each.answers_to(name)), None)

    def skill(self, name: str) -> SkillEntry | None:
        """Return the skill with this id, alias, slug or verb."""
        return next((each for each in self.skills if each.answers_to(name)), None)

    @property
    def targeted(self) -> tuple[SkillEntry, ...]:
        """Skills that act on one target."""
        return tuple(each for each in self.skills if each.verb is not Verb.EXPLORE)

    def with_verb(self, verb: Verb) -> tuple[SkillEntry, ...]:
        """Return every skill of one verb, in order."""
        return tuple(each for each in self.skills if each.verb is verb)

    @property
    def worked(self) -> tuple[ControlEntry, ...]:
        """Controls, if there is a skill that works them."""
        return self.controls if any(each.verb in OF_CONTROLS for each in self.skills) else ()

    def control(self, name: str) -> ControlEntry | None:
        """Return the control with this id, or the only one with this label or appliance."""
        exact = [each for each in self.worked if each.id == name]
        named = exact or [each for each in self.worked if each.answers_to(name)]
        return named[0] if len(named) == 1 else None

    def place(self, name: str) -> PlaceEntry | None:
        """Return the place, room or agent with this id or label, if it is unique."""
        exact = [each for each in self.places if each.id == name]
        named = exact or [each for each in self.places if each.answers_to(name)]
        return named[0] if len(named) == 1 else None
