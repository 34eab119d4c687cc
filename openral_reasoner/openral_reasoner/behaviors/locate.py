"""Ask locators for an object; every outcome other than FOUND carries its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openral_core.detectors import LifecycleState, LocateResult, LocateStatus
from openral_core.spatial_memory import ObserveStatus
from openral_reasoner.behaviors.referents import matches_of
from openral_reasoner.behaviors.requests import (
    LOCATOR,
    PeerRequirement,
    RequestFailed,
    locate,
    observe,
    pause,
    wait_at_most,
    wait_for,
)
from openral_reasoner.behaviors.residency import activate_for_task
from openral_reasoner.evidence import Answered, Source
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import LocatorEntry, ToolPalette
from openral_reasoner.search import SEEN_NOT_PLACED

SILENT = "it does not respond"


def describe_failed_locators(mission: Mission) -> str:
    """Describe the locators that do not work, in their nodes' words; "" if there are none."""
    palette = mission.palette
    reasons = dict.fromkeys(sorted(mission.peers.unrecovered_locators), SILENT)
    reasons |= {each.id: each.why for each in palette.degraded}
    reasons |= {each.id: each.trouble for each in palette.locators if each.recovering}
    well = {each.id for each in palette.locators if not each.recovering}
    return "; ".join(
        f"locator {name} is not working: {why}" for name, why in reasons.items() if name not in well
    )


def no_locator_reason(mission: Mission, words: str) -> str:
    """Return why no locator can look for these words even after waiting; "" while one can, or may soon.

    A failed locator is waited for once; a locator that has not appeared yet may still do so. One whose
    vocabulary lacks the words is not asked for them at another place.
    """
    locators, peers = mission.palette.locators, mission.peers
    well = [each.id for each in locators if not each.recovering or each.id not in peers.unrecovered_locators]
    refusals = {name: peers.refused_queries.get((name, words)) for name in well}
    if not all(refusals.values()):
        return ""
    lacking = tuple(f"locator {name}: {why}" for name, why in refusals.items())
    failed = describe_failed_locators(mission) if locators or LOCATOR.absent in peers.exhausted_waits else ""
    return "; ".join(filter(None, (*lacking, failed)))


_PASSING = (LocateStatus.NO_FRAME, LocateStatus.STALE_FRAME, LocateStatus.BUSY)
_DEPTHLESS = ObserveStatus.NO_DEPTH
_LAGGING = (ObserveStatus.STALE_TRANSFORM, ObserveStatus.NO_FRAME)
CATCH_UPS = 3
"""Retries of a placement while memory's transforms or depth images lag behind the image."""
CATCH_UP = 0.4
"""Pause before each of these retries [s]."""
LOOKS_AGAIN, LOOK_AGAIN = 3, 1.0
"""Retries of a locate request that failed for a transient reason, and the pause before each [s]."""
_DECISIVE = (
    SEEN_NOT_PLACED,
    LocateStatus.FOUND.name,
    LocateStatus.NOT_IN_VIEW.name,
    LocateStatus.BAD_QUERY.name,
    LocateStatus.UNKNOWN_CAMERA.name,
)

_BACK_SOON: Mapping[str, Callable[[LocatorEntry], bool]] = {
    LocateStatus.DETECTOR_ERROR.name: lambda entry: not entry.recovering,
    LocateStatus.LOADING.name: lambda entry: not entry.recovering and not entry.must_load,
    LocateStatus.INACTIVE.name: lambda entry: not entry.must_load,
}
"""Outcomes after which the locator is likely to recover, and the test that it has recovered."""


@dataclass(frozen=True, slots=True)
class LocateOutcome:
    """Outcome of asking locators for an object; ``score`` is that of the best box, in [0, 1]."""

    status: str
    message: str
    detector: str = ""
    objects: tuple[MissionObject, ...] = ()
    score: float = 1.0

    @property
    def absent(self) -> bool:
        """True only if a working detector evaluated a fresh image without finding the object."""
        return self.status == LocateStatus.NOT_IN_VIEW.name

    @property
    def decisive(self) -> bool:
        """True if no other locator needs to be asked."""
        return self.status in _DECISIVE


def locate_object(
    mission: Mission, words: str, camera: str = "", detector: str = ""
) -> Procedure[LocateOutcome]:
    """Ask the named locator, else the default one and, if it fails, the others; remember what is found.

    If no locator could answer, one that failed transiently is waited for and asked again, once per kind of
    failure. The same holds for the default locator if only others answered NOT_IN_VIEW: any locator may join
    the graph, so only the default's answer is evidence of absence.
    """
    yield from wait_for(mission, LOCATOR)
    look = not_evaluated(mission)
    broken: LocateOutcome | None = None
    absent: LocateOutcome | None = None
    named = mission.palette.locator(detector) if detector else None
    locators = ((named,) if named else ()) if detector else mission.palette.locators
    for entry in locators:
        look = yield from _look_by(mission, entry, words, camera)
        if look.absent and not decides(mission, entry, detector):
            absent = absent or look
        elif look.decisive:
            return look
        broken = broken or (look if look.status in _BACK_SOON else None)
    if absent is not None:
        broken = missing_default(mission) or broken
    hoped: set[str] = set()
    while broken is not None and broken.status not in hoped:
        hoped.add(broken.status)
        entry_back = yield from wait_for_recovery(mission, broken)
        if entry_back is None:
            break
        look = yield from _look_by(mission, entry_back, words, camera)
        broken = look if look.status in _BACK_SOON else None
    return absent if absent is not None and not look.decisive else look


def decides(mission: Mission, entry: LocatorEntry, named: str) -> bool:
    """Return True if this locator's NOT_IN_VIEW is final."""
    palette = mission.palette
    configured = palette.configured_default_locator
    rivals = () if configured else palette.rivals
    some_default = bool(configured) or any(each.is_default for each in palette.locators)
    return bool(named) or not some_default or (entry.is_default and not rivals)


def missing_default(mission: Mission) -> LocateOutcome | None:
    """Return a failed outcome for the deployment's default locator if it is not in the graph."""
    configured = mission.palette.configured_default_locator
    if not configured or any(each.is_default for each in mission.palette.locators):
        return None
    return LocateOutcome(LocateStatus.DETECTOR_ERROR.name, "it is not in the graph", configured)


def _look_by(mission: Mission, entry: LocatorEntry, words: str, camera: str) -> Procedure[LocateOutcome]:
    call_id, result = yield from request_detection(mission, entry, words, camera)
    if result.status is LocateStatus.NOT_IN_VOCABULARY:
        mission.peers.refused_queries[entry.id, words] = result.message
    if result.status is LocateStatus.FOUND:
        return (yield from place_detection(mission, entry, call_id, result, words))
    return LocateOutcome(result.status.name, result.message, entry.id)


def wait_for_recovery(mission: Mission, broken: LocateOutcome) -> Procedure[LocatorEntry | None]:
    """Wait until the locator of a failed request recovers; None if it does not, or is degraded."""
    locator, deadlines = broken.detector, mission.settings.deadlines
    asleep = broken.status == LocateStatus.INACTIVE.name

    def settled(palette: ToolPalette) -> bool:
        return locator in {e.id for e in palette.degraded} or recovered_locator(palette, broken) is not None

    absent = f"{locator} has not recovered"
    if absent not in mission.peers.exhausted_waits:
        yield from pause(mission, LOOK_AGAIN)
    seconds = deadlines.locator if asleep else deadlines.recovery
    yield from wait_at_most(mission, seconds, PeerRequirement(settled, absent))
    ready = recovered_locator(mission.palette, broken)
    if ready is None:
        mission.peers.unrecovered_locators.add(locator)
        if not LOCATOR.there(mission.palette):
            mission.peers.exhausted_waits.add(LOCATOR.absent)
    return ready


def recovered_locator(palette: ToolPalette, broken: LocateOutcome) -> LocatorEntry | None:
    """Return the locator of a failed request if it has recovered, else None."""
    entry = palette.locator(broken.detector)
    return entry if entry is not None and _BACK_SOON[broken.status](entry) else None


def not_evaluated(mission: Mission) -> LocateOutcome:
    """Return the outcome of a request when no locator is available."""
    return LocateOutcome("NO_DETECTOR", describe_failed_locators(mission) or "no locator is available")


def request_detection(
    mission: Mission, entry: LocatorEntry, words: str, camera: str
) -> Procedure[tuple[str, LocateResult]]:
    """Send a request to a locator, activating it first if needed."""
    can_be_woken = entry.id in mission.palette.peers
    if entry.must_load and can_be_woken:
        refused = yield from activate_for_task(mission, entry.id)
        if refused:
            return "", LocateResult(LocateStatus.INACTIVE, refused, words, camera, entry.id)
    first = yield from request_with_retries(mission, entry, words, camera)
    if first[1].status is LocateStatus.INACTIVE and can_be_woken:
        mission.palette = mission.palette.with_state(entry.id, LifecycleState.INACTIVE)
        refused = yield from activate_for_task(mission, entry.id)
        return first if refused else (yield from request_once(mission, entry, words, camera))
    return first


def request_with_retries(
    mission: Mission, entry: LocatorEntry, words: str, camera: str
) -> Procedure[tuple[str, LocateResult]]:
    """Retry a request that fails for a transient reason, but not again if the last retries were useless."""
    look = yield from request_once(mission, entry, words, camera)
    failing = f"{entry.id} keeps failing"
    for _ in range(0 if failing in mission.peers.exhausted_waits else LOOKS_AGAIN):
        if look[1].status not in _PASSING:
            break
        yield from pause(mission, LOOK_AGAIN)
        look = yield from request_once(mission, entry, words, camera)
    mission.peers.note_wait(failing, ended=look[1].status not in _PASSING)
    return look


def request_once(
    mission: Mission, entry: LocatorEntry, words: str, camera: str
) -> Procedure[tuple[str, LocateResult]]:
    """Send one request, and record the use of the locator."""
    result = yield from locate(mission, words, camera, entry.id)
    mission.residency = mission.residency.used_at(entry.id, mission.now)
    return result


def place_detection(
    mission: Mission, entry: LocatorEntry, call_id: str, result: LocateResult, words: str
) -> Procedure[LocateOutcome]:
    """Place a detection in the map; if that image has no usable depth, ask for one more image."""
    look, may_pass = yield from integrate_detection(mission, call_id, result, words)
    if not may_pass:
        return look
    call_id, again = yield from request_once(mission, entry, words, result.camera)
    if again.status is not LocateStatus.FOUND:
        return look
    look, _ = yield from integrate_detection(mission, call_id, again, words)
    return look


def integrate_detection(
    mission: Mission, call_id: str, result: LocateResult, words: str
) -> Procedure[tuple[LocateOutcome, bool]]:
    """Have memory place a detection, giving it an id and a pose; the flag: another image may help."""
    observed = yield from observe(mission, call_id, result)
    for _ in range(CATCH_UPS):
        if isinstance(observed, RequestFailed) or observed.status not in _LAGGING:
            break
        yield from pause(mission, CATCH_UP)
        observed = yield from observe(mission, call_id, result)
    if isinstance(observed, RequestFailed):
        if mission.referent(words) is None:
            mission.note(Answered(Source.LOOK, words))
        return LocateOutcome(SEEN_NOT_PLACED, observed.message, result.detector), False
    if observed.status is not ObserveStatus.REMEMBERED or not observed.matches:
        why = f"{observed.status.name}: {observed.message}"
        if mission.referent(words) is None:  # of several alike, it may be another one
            mission.note(Answered(Source.LOOK, words))
        return LocateOutcome(SEEN_NOT_PLACED, why, result.detector), observed.status in (
            *_LAGGING,
            _DEPTHLESS,
        )
    matches = matches_of(mission, words, observed.matches)
    if not matches:
        why = f"what is in view is not {words}, but another one of its kind"
        return LocateOutcome(LocateStatus.NOT_IN_VIEW.name, why, result.detector), False
    objects = tuple(mission.learn(MissionObject.from_match(match, words)) for match in matches)
    mission.note(Answered(Source.LOOK, words, tuple(target.node() for target in objects)))
    # A broken locator may report FOUND without a detection.
    score = max((detection.score for detection in result.detections), default=0.0)
    return LocateOutcome(LocateStatus.FOUND.name, result.message, result.detector, objects, score), False
