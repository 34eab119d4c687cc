"""The palette: every id a tool call may hold."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from openral_core.detectors import LifecycleState
from openral_core.names import slug
from openral_core.rskills import ParameterSpec
from openral_core.scene_graph import NodeKind
from openral_core.skills import Verb


class PaletteEntry(BaseModel):
    """Base of everything listed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ContinuousDetectorEntry(PaletteEntry):
    """A detector that streams what it knows into memory; never prompted. ``memory`` [MB] while active.

    ``labels_left_out`` counts what it can name and is not listed, see `bounds`.
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
    """A detector that answers `locate_in_view`; ``latency`` [s], ``memory`` [MB] while active.

    ``held`` is measured: whether it has memory now, whatever its state. While it is ``recovering`` its
    worker is started again; ``trouble`` says why, in its node's words.
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
        """Whether a look has to wait for its weights."""
        return self.state is not LifecycleState.ACTIVE

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` is its id, alias or slug."""
        return name in (self.id, slug(self.id), *self.aliases)


class DegradedDetectorEntry(PaletteEntry):
    """A detector that is active and cannot look, so that it is not offered; ``why`` in its node's words."""

    id: str
    why: str


_Detector = TypeVar("_Detector", LocatorEntry, ContinuousDetectorEntry)


def _in_state(entry: _Detector, detector: str, state: LifecycleState) -> _Detector:
    return entry.model_copy(update={"state": state}) if entry.id == detector else entry


class SkillEntry(PaletteEntry):
    """An rSkill that a living skill server executes; ``deadline`` [s]."""

    id: str
    aliases: tuple[str, ...] = ()
    verb: Verb
    description: str
    parameters: tuple[ParameterSpec, ...] = ()
    deadline: float
    gpu_memory_mb: float = 0.0

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` is its id, alias, slug or verb."""
        return name in (self.id, slug(self.id), *self.aliases, self.verb.value)


class PlaceEntry(PaletteEntry):
    """A place, room or agent that may be named as a target."""

    id: str
    label: str
    kind: NodeKind
    room: str = ""
    aliases: tuple[str, ...] = ()

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` is its id, label or alias, in any case."""
        return name.strip().lower() in (
            self.id.lower(),
            self.label.lower(),
            *(a.lower() for a in self.aliases),
        )


class ToolPalette(PaletteEntry):
    """Everything the model may name in this tick.

    ``chosen_default`` is the locator that the deployment names as default, there or not. ``rivals`` call
    themselves default beside the one that is asked first. ``unlisted`` counts detectors beyond the bound.
    """

    detector_available: bool = False
    spatial_memory_available: bool = False
    continuous_detectors: tuple[ContinuousDetectorEntry, ...] = ()
    locators: tuple[LocatorEntry, ...] = ()
    cameras: tuple[str, ...] = ()
    skills: tuple[SkillEntry, ...] = ()
    peers: tuple[str, ...] = ()
    places: tuple[PlaceEntry, ...] = ()
    holding: str = ""
    robot_idle: bool = False
    blind: tuple[DegradedDetectorEntry, ...] = ()
    chosen_default: str = ""
    rivals: tuple[str, ...] = ()
    unlisted: int = 0

    @property
    def detectors(self) -> tuple[LocatorEntry | ContinuousDetectorEntry, ...]:
        """Everything that holds memory while it is active."""
        return (*self.locators, *self.continuous_detectors)

    @property
    def awake(self) -> frozenset[str]:
        """Detectors that are active."""
        return frozenset(each.id for each in self.detectors if each.state is LifecycleState.ACTIVE)

    def with_state(self, detector: str, state: LifecycleState) -> "ToolPalette":
        """This palette after a transition of one detector."""
        return self.model_copy(
            update={
                "locators": tuple(_in_state(each, detector, state) for each in self.locators),
                "continuous_detectors": tuple(
                    _in_state(each, detector, state) for each in self.continuous_detectors
                ),
            }
        )

    @property
    def default_locator(self) -> LocatorEntry | None:
        """The locator asked when a call names none."""
        marked = (each for each in self.locators if each.is_default)
        return next(marked, self.locators[0] if self.locators else None)

    def locator(self, name: str) -> LocatorEntry | None:
        """The locator that answers to a name; "" is the default."""
        if not name:
            return self.default_locator
        return next((each for each in self.locators if each.answers_to(name)), None)

    def skill(self, name: str) -> SkillEntry | None:
        """The skill that answers to an id, alias, slug or verb."""
        return next((each for each in self.skills if each.answers_to(name)), None)

    def with_verb(self, verb: Verb) -> tuple[SkillEntry, ...]:
        """Every skill of one verb, in order."""
        return tuple(each for each in self.skills if each.verb is verb)

    def place(self, name: str) -> PlaceEntry | None:
        """The place, room or agent that answers to an id or label."""
        exact = [each for each in self.places if each.id == name]
        named = exact or [each for each in self.places if each.answers_to(name)]
        return named[0] if len(named) == 1 else None
