"""A look that either finds, or says which of the other things happened."""

from dataclasses import dataclass

from openral_core.detectors import LifecycleState, LocateResult, LocateStatus
from openral_core.queries import ObserveStatus
from openral_reasoner.palettes import LocatorEntry, ToolPalette
from openral_reasoner.procedures.asks import Unanswered, locate, observe, pause
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.procedures.residencies import wake
from openral_reasoner.procedures.things import Thing
from openral_reasoner.procedures.waits import LOCATOR, Need, wait_at_most, wait_for

_PASSING = (LocateStatus.NO_FRAME, LocateStatus.STALE_FRAME, LocateStatus.BUSY, LocateStatus.LOADING)
_LAGGING = (ObserveStatus.STALE_TRANSFORM, ObserveStatus.NO_FRAME)
CATCH_UPS = 3
"""How often memory is asked again while its transforms or depth images lag behind the look."""
CATCH_UP = 0.4
"""How long it is given each time [s]."""
LOOKS_AGAIN, LOOK_AGAIN = 3, 1.0
"""How often a look is tried again that failed for a passing reason, and how long after [s]."""
SEEN_NOT_PLACED = "SEEN_NOT_PLACED"
_DECISIVE = (
    SEEN_NOT_PLACED,
    LocateStatus.FOUND.name,
    LocateStatus.NOT_IN_VIEW.name,
    LocateStatus.BAD_QUERY.name,
    LocateStatus.UNKNOWN_CAMERA.name,
)


@dataclass(frozen=True, slots=True)
class Look:
    """What one look came to; ``absent`` only when a working detector saw a fresh frame without it."""

    status: str
    message: str
    detector: str = ""
    things: tuple[Thing, ...] = ()

    @property
    def absent(self) -> bool:
        """Whether this is evidence of absence."""
        return self.status == LocateStatus.NOT_IN_VIEW.name

    @property
    def decisive(self) -> bool:
        """Whether no other locator needs to be asked."""
        return self.status in _DECISIVE


def look_for(mission: Mission, words: str, camera: str = "", detector: str = "") -> Procedure[Look]:
    """Ask the named locator, or the default and on its failure the others; remember what is found.

    When nobody could look and one of them broke over it, that one is asked once more when it is back.
    """
    yield from wait_for(mission, LOCATOR)
    look = no_look(mission)
    broken: LocatorEntry | None = None
    for entry in _asked(mission, detector):
        look = yield from _look_by(mission, entry, words, camera)
        if look.decisive:
            return look
        if look.status == LocateStatus.DETECTOR_ERROR.name:
            broken = broken or entry
    if broken is not None:
        yield from _recovery_of(mission, broken)
        look = yield from _look_by(mission, broken, words, camera)
    return look


def _look_by(mission: Mission, entry: LocatorEntry, words: str, camera: str) -> Procedure[Look]:
    call_id, result = yield from _insist(mission, entry, words, camera)
    if result.status is LocateStatus.FOUND:
        return (yield from _placed(mission, entry, call_id, result, words))
    return Look(result.status.name, result.message, entry.id)


def _recovery_of(mission: Mission, entry: LocatorEntry) -> Procedure[None]:
    """Until it can look again, or is known not to for a while; bounded."""
    yield from pause(mission, LOOK_AGAIN)
    back = Need(lambda palette: _settled(palette, entry.id), f"{entry.id} is not back")
    yield from wait_at_most(mission, mission.settings.deadlines.recovery, back)


def _settled(palette: ToolPalette, locator: str) -> bool:
    there = palette.locator(locator)
    blind = locator in {each.id for each in palette.blind}
    return blind or (there is not None and not there.recovering)


def no_look(mission: Mission) -> Look:
    """What a look comes to when there is nobody to ask."""
    blind = "; ".join(f"{each.id} is blind: {each.why}" for each in mission.palette.blind)
    return Look("NO_DETECTOR", f"no locator can look: {blind}" if blind else "no locator lives in the graph")


def _asked(mission: Mission, detector: str) -> tuple[LocatorEntry, ...]:
    if not detector:
        return mission.palette.locators
    named = mission.palette.locator(detector)
    return (named,) if named else ()


def _insist(
    mission: Mission, entry: LocatorEntry, words: str, camera: str
) -> Procedure[tuple[str, LocateResult]]:
    """One look by a locator that is awake, and a few more while it fails for a passing reason."""
    can_be_woken = entry.id in mission.palette.peers
    if entry.must_load and can_be_woken:
        refused = yield from wake(mission, entry.id)
        if refused:
            return "", LocateResult(LocateStatus.INACTIVE, refused, words, camera, entry.id)
    first = yield from _one(mission, entry, words, camera)
    for _ in range(LOOKS_AGAIN):
        if first[1].status not in _PASSING:
            break
        yield from pause(mission, LOOK_AGAIN)
        first = yield from _one(mission, entry, words, camera)
    if first[1].status is LocateStatus.INACTIVE and can_be_woken:
        mission.palette = mission.palette.with_state(entry.id, LifecycleState.INACTIVE)
        refused = yield from wake(mission, entry.id)
        return first if refused else (yield from _one(mission, entry, words, camera))
    return first


def _one(
    mission: Mission, entry: LocatorEntry, words: str, camera: str
) -> Procedure[tuple[str, LocateResult]]:
    result = yield from locate(mission, words, camera, entry.id)
    mission.chronicle = mission.chronicle.touched(entry.id, mission.now)
    return result


def _placed(
    mission: Mission, entry: LocatorEntry, call_id: str, result: LocateResult, words: str
) -> Procedure[Look]:
    """Where it was seen; when memory never gets the depth of that very frame, one more look is had."""
    look, lagging = yield from _take_in(mission, call_id, result, words)
    if not lagging:
        return look
    call_id, again = yield from _one(mission, entry, words, result.camera)
    if again.status is not LocateStatus.FOUND:
        return look
    look, _ = yield from _take_in(mission, call_id, again, words)
    return look


def _take_in(
    mission: Mission, call_id: str, result: LocateResult, words: str
) -> Procedure[tuple[Look, bool]]:
    """Have memory place what was seen: only then does it have an id and a pose; whether it still lags."""
    observed = yield from observe(mission, call_id, result)
    for _ in range(CATCH_UPS):
        if isinstance(observed, Unanswered) or observed.status not in _LAGGING:
            break
        yield from pause(mission, CATCH_UP)
        observed = yield from observe(mission, call_id, result)
    if isinstance(observed, Unanswered):
        return Look(SEEN_NOT_PLACED, observed.message, result.detector), False
    if observed.status is not ObserveStatus.REMEMBERED or not observed.matches:
        lagging = observed.status in _LAGGING
        return Look(SEEN_NOT_PLACED, observed.message, result.detector), lagging
    things = tuple(mission.learn(Thing.remembered(match, words)) for match in observed.matches)
    return Look(LocateStatus.FOUND.name, result.message, result.detector, things), False
