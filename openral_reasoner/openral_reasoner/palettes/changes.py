"""What changed between two palettes, and why, in words for the model and the operator."""

from collections.abc import Sequence
from itertools import chain

from openral_reasoner.palettes.entries import ContinuousDetectorEntry, LocatorEntry, ToolPalette

_Detector = LocatorEntry | ContinuousDetectorEntry


def changes(old: ToolPalette, new: ToolPalette) -> tuple[str, ...]:
    """One line per difference that matters to a decision."""
    return tuple(
        chain(
            _flag("spatial memory", old.spatial_memory_available, new.spatial_memory_available),
            _detectors("locator", old.locators, new.locators, new),
            _detectors("continuous detector", old.continuous_detectors, new.continuous_detectors, new),
            _overrun(old, new),
            _rivals(old, new),
            _names("skill", [s.id for s in old.skills], [s.id for s in new.skills], "the skill server"),
            _names("camera", old.cameras, new.cameras, "every locator that serves it"),
            _places(old, new),
            _names("lifecycle peer", old.peers, new.peers, "its node"),
        )
    )


def _overrun(old: ToolPalette, new: ToolPalette) -> list[str]:
    """What detectors say of themselves and is not shown."""
    before = {each.id: each.labels_left_out for each in old.continuous_detectors}
    lines = [
        f"continuous detector {each.id!r} can name {each.labels_left_out} labels more than are listed"
        for each in new.continuous_detectors
        if each.labels_left_out and before.get(each.id, 0) != each.labels_left_out
    ]
    if new.unlisted > old.unlisted:
        lines.append(f"{new.unlisted} detectors more than can be listed are in the graph")
    return lines


def _rivals(old: ToolPalette, new: ToolPalette) -> list[str]:
    asked = new.default_locator
    first = f"{asked.id!r} is asked first" if asked else "it is not asked first"
    return [
        f"locator {each!r} calls itself the default too: {first}"
        for each in new.rivals
        if each not in old.rivals
    ]


def _flag(what: str, old: bool, new: bool) -> list[str]:
    if old == new:
        return []
    return [f"{what} is back" if new else f"{what} is gone: its service no longer answers, or is not active"]


def _names(what: str, old: Sequence[str], new: Sequence[str], source: str) -> list[str]:
    gone = [f"{what} {name!r} is gone: {source} no longer offers it" for name in old if name not in new]
    come = [f"{what} {name!r} is there now" for name in new if name not in old]
    return gone + come


def _places(old: ToolPalette, new: ToolPalette) -> list[str]:
    """Every place comes and goes with memory: of that one line is enough."""
    if old.spatial_memory_available != new.spatial_memory_available:
        return []
    return _names("place", [p.id for p in old.places], [p.id for p in new.places], "the scene graph")


def _detectors(
    what: str, old: Sequence[_Detector], new: Sequence[_Detector], palette: ToolPalette
) -> list[str]:
    blind = {each.id: each.why for each in palette.blind}
    before = {each.id: each.state for each in old}
    after = {each.id: each.state for each in new}
    moved = [
        f"{what} {name!r} went from {before[name].name} to {state.name}"
        for name, state in after.items()
        if name in before and before[name] is not state
    ]
    blinded = [f"{what} {name!r} is blind: {blind[name]}" for name in before if name in blind]
    rest = [name for name in before if name not in blind]
    return _names(what, rest, list(after), "its node or service") + blinded + moved
