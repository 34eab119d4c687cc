"""Listing of the palette: one line per id that a call may name, for the opening of a mission and its news.

A line is ``id (words of the core): text of others``, so that no label can look like an attribute.
"""

from collections import Counter
from collections.abc import Mapping

from openral_core.rskills import slug
from openral_core.spatial_memory import NodeKind
from openral_reasoner.behaviors.skill_parameters import not_filled_in
from openral_reasoner.palette.entries import ControlEntry, LocatorEntry, PlaceEntry, SkillEntry, ToolPalette

MAX_PLACES = 80
"""Most places of a listing, about 1,000 tokens; `resolve_place` finds the others [1]."""
MAX_NEWS = 20
"""Most changes of one decision [1]."""
MAX_LABEL = 64
"""Longest label in a line [characters]."""
Listing = Mapping[str, Mapping[str, str]]
"""Rest of each line by its id, by section."""
_KINDS = {NodeKind.AGENT: "person", NodeKind.ROOM: "room"}
"""Kinds that a line names; all others are places."""
_ITEMS = {"skills": "skill", "places": "place", "controls": "control"}
"""Sections whose changes are news here; those of detectors are told by `palette.build.changes`."""


def listing(palette: ToolPalette) -> Listing:
    """Return what is listed of a palette; sections without entries are left out.

    Locators and cameras are listed only where there is a choice, a skill's description where another has its
    verb, and a label where it says more than the id.
    """
    verbs = Counter(skill.verb for skill in palette.targeted)
    places = sorted(palette.places, key=lambda each: each.kind is NodeKind.PLACE)
    rooms = {each.id: each.label for each in places if each.kind is NodeKind.ROOM}
    sections = {
        "skills": {each.id: skill_line(each, alone=verbs[each.verb] == 1) for each in palette.targeted},
        "places": {each.id: place_line(each, rooms.get(each.room, "")) for each in places[:MAX_PLACES]},
        "controls": {each.id: control_line(each) for each in palette.worked},
        "in_view": {each.label: _line(*each.cameras) for each in palette.in_view},
        "locators": {each.id: locator_line(each, palette) for each in palette.locators},
        "cameras": dict.fromkeys(palette.cameras, ""),
        "peers": {
            each.id: _line(each.state.name, f"{each.memory:.0f} MB")
            for each in palette.detectors
            if each.id in palette.peers
        },
    }
    chosen = {"locators", "cameras"}
    return {name: lines for name, lines in sections.items() if len(lines) > (name in chosen)}


def in_lines(listed: Listing) -> dict[str, tuple[str, ...]]:
    """Return the lines of a listing; skills without any are those that the tool names."""
    lines = {
        name: tuple(f"{key}{rest}" for key, rest in each.items() if rest or name != "skills")
        for name, each in listed.items()
    }
    return {name: each for name, each in lines.items() if each}


def listing_changes(reported: Listing, palette: ToolPalette) -> tuple[Listing, tuple[str, ...]]:
    """Return the listing after what is new, and its changes as news; nothing of places without memory."""
    fresh = dict(listing(palette))
    if not palette.spatial_memory_available:
        fresh |= {name: reported[name] for name in ("places", "controls") if name in reported}
    news = [
        line
        for name, item in _ITEMS.items()
        for line in differences(item, reported.get(name, {}), fresh.get(name, {}))
    ]
    more = (f"{len(news) - MAX_NEWS} more changes of ids",) if len(news) > MAX_NEWS else ()
    return fresh, (*news[:MAX_NEWS], *more)


def differences(item: str, old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Return what has gone, come or changed, as news."""
    gone = [f"{item} {each!r} is no longer available" for each in old if each not in new]
    come = [f"{item} {each!r} is now available{rest}" for each, rest in new.items() if each not in old]
    both = [f"{item} {each!r} is now{rest}" for each, rest in new.items() if old.get(each, rest) != rest]
    return gone + come + both


def _line(*words: str, text: str = "") -> str:
    own = "; ".join(filter(None, words))
    return f"{own and f' ({own})'}{text and f': {text}'}"


def skill_line(skill: SkillEntry, *, alone: bool) -> str:
    """Return the rest of a skill's line."""
    names = ", ".join(spec.name for spec in not_filled_in(skill))
    verb = "" if slug(skill.id) == skill.verb.value.lower() else skill.verb.value
    texts = ("" if alone else skill.description, *skill.consent)
    return _line(verb, f"takes {names}" if names else "", text="; ".join(filter(None, texts)))


def place_line(place: PlaceEntry, room: str) -> str:
    """Return the rest of a place's line; a label whose words its id and room's label have is left out."""
    is_known = set(slug(place.label).split("_")) <= {*slug(place.id).split("_"), *slug(room).split("_")}
    text = "" if is_known else place.label[:MAX_LABEL]
    return _line(_KINDS.get(place.kind, ""), _in(place.room), *place.states, text=text)


def control_line(control: ControlEntry) -> str:
    """Return the rest of a control's line."""
    return _line(control.kind, _in(control.room), control.state, text=f"of {control.appliance[:MAX_LABEL]}")


def _in(room: str) -> str:
    return f"in {room}" if room else ""


def locator_line(locator: LocatorEntry, palette: ToolPalette) -> str:
    """Return the rest of a locator's line."""
    return _line(
        "default" if locator is palette.default_locator else "",
        "must be loaded first" if locator.must_load else "",
        f"{locator.latency:.1g} s",
        f"cameras {' '.join(locator.cameras)}" if len(palette.cameras) > 1 else "",
        text=locator.description,
    )
