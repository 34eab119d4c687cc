"""Readers of published text adventures: TextWorld Commonsense and AdventureGame's home deliveries.

The files are not part of this repository; `docs/evaluation.md` says where they are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import ConfigDict

from openral_core.documents import Document, InvalidDocument, parse_document
from openral_household_benchmark.text_world import (
    HAND,
    Furniture,
    Objective,
    TextGame,
    TextWorld,
    fewest_steps,
)

TWC_GOAL = "tidy up"
"""Goal of every game; their own text is "Look for anything that is out of place and put it away in its proper
location."."""
MAX_STEPS = 50
"""Steps after which both benchmarks end a game."""


class _Part(Document):
    """Part of a file of others: keys that are not needed here are ignored."""

    model_config = ConfigDict(extra="ignore")


class _Variable(_Part):
    name: str
    type: str


class _Fact(_Part):
    name: str
    arguments: tuple[_Variable, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.arguments)


class _Condition(_Part):
    preconditions: tuple[_Fact, ...]


class _Event(_Part):
    condition: _Condition


class _Quest(_Part):
    win_events: tuple[_Event, ...]


class _Entity(_Part):
    name: str | None


class TwcDocument(_Part):
    """Game file of TextWorld, as far as a household needs it."""

    world: tuple[_Fact, ...]
    quests: tuple[_Quest, ...]
    infos: tuple[tuple[str, _Entity], ...]


def _read_json(file: Path) -> object:
    """Read a JSON file.

    Raises:
        InvalidDocument: If it cannot be read, or is no JSON.
    """
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidDocument(file, [str(error)]) from error


_DIRECTIONS = ("north_of", "south_of", "east_of", "west_of")


def read_twc(folder: Path, levels: Iterable[str], splits: Iterable[str]) -> Iterator[TextGame]:
    """Read the games of these levels and splits below a folder.

    Raises:
        InvalidDocument: If a file is not a game, or there is none.
    """
    for level in levels:
        for split in splits:
            files = sorted((folder / level / split).glob("*.json"))
            if not files:
                raise InvalidDocument(str(folder / level / split), ["no game (*.json) is here"])
            for file in files:
                document = parse_document(TwcDocument, _read_json(file), str(file))
                yield twc_game(document, file.stem, level, split)


def twc_game(document: TwcDocument, name: str, level: str, split: str) -> TextGame:
    """Return the game of a file."""
    best = fewest_steps(twc_world(document))
    return TextGame(
        name, level, split, TWC_GOAL, lambda: twc_world(document), MAX_STEPS, best, ends_itself=True
    )


def twc_world(document: TwcDocument) -> TextWorld:
    """Build the world of a game file."""
    names = {each: entity.name or each for each, entity in document.infos}
    types = {v.name: v.type for fact in document.world for v in fact.arguments}
    facts = [(fact.name, fact.ids) for fact in document.world]
    homes = {ids[0]: ids[1] for name, ids in facts if name == "at"}
    held = {ids[0]: HAND for name, ids in facts if name == "in" and types[ids[1]] == "I"}
    placed = {ids[0]: ids[1] for name, ids in facts if name in ("on", "in") and ids[0] not in held}
    closed = {ids[0] for name, ids in facts if name == "closed"}
    rooms = {each: names[each] for each, kind in types.items() if kind == "r"}
    furniture = {
        each: Furniture(each, names[each], homes[each], is_container=kind == "c", openable=kind == "c")
        for each, kind in types.items()
        if kind in ("s", "c")
    }
    items = {each: names[each] for each, kind in types.items() if kind in ("o", "f", "k")}
    ways = [ids for name, ids in facts if name in _DIRECTIONS]
    exits = {room: frozenset(b for way in ways for a, b in (way, way[::-1]) if a == room) for room in rooms}
    return TextWorld(
        rooms=rooms,
        exits=exits,
        furniture=furniture,
        items=items,
        at={each: held.get(each) or placed.get(each) or homes[each] for each in items},
        robot=homes["P"],
        closed=closed & set(furniture),
        objectives=tuple(map(_objective, document.quests)),
        keeps_score=True,
    )


def _objective(quest: _Quest) -> Objective:
    facts = [fact.ids for event in quest.win_events for fact in event.condition.preconditions]
    return Objective(facts[0][0], frozenset(place for _, place in facts))


HOME_DELIVERIES = re.compile(r"home[_-]deliver")
_GOAL = re.compile(r"Your goal for this game is: (?P<goal>[^\n]+?)\.?\n")
_ATOM = re.compile(r"(?P<name>\w+)\((?P<ids>[\w, ]+)\)")


class _Definition(_Part):
    type_name: str
    repr_str: str


class _Definitions(_Part):
    entries: tuple[_Definition, ...]


class AdventureInstance(_Part):
    """Instance of AdventureGame, as far as a home delivery needs it."""

    game_id: int
    variant: str
    prompt: str
    initial_state: tuple[str, ...]
    goal_state: tuple[str, ...]
    max_turns: int
    optimal_turns: int
    room_definitions: tuple[_Definition | str, ...]
    entity_definitions: tuple[_Definition | str, ...]


class _Experiment(_Part):
    name: str
    game_instances: tuple[Mapping[str, object], ...]


class AdventureDocument(_Part):
    """File of instances."""

    experiments: tuple[_Experiment, ...]


def read_adventures(file: Path) -> Iterator[TextGame]:
    """Read the home deliveries of a file of instances; definitions it names are in ``../resources``.

    Raises:
        InvalidDocument: If the file is none, or has no home delivery.
    """
    document = parse_document(AdventureDocument, _read_json(file), str(file))
    chosen = [each for each in document.experiments if HOME_DELIVERIES.search(each.name)]
    if not chosen:
        raise InvalidDocument(str(file), ["no experiment of home deliveries is here"])
    for experiment in chosen:
        for raw in experiment.game_instances:
            instance = parse_document(AdventureInstance, raw, f"{file}: {experiment.name}")
            names = _names(instance, file.parent.parent / "resources" / "definitions")
            yield adventure_game(instance, names, experiment.name)


def _names(instance: AdventureInstance, folder: Path) -> Mapping[str, str]:
    """Return the displayed name of every type."""
    names = dict[str, str]()
    for each in (*instance.room_definitions, *instance.entity_definitions):
        if isinstance(each, _Definition):
            names[each.type_name] = each.repr_str
        else:
            content = parse_document(_Definitions, {"entries": _read_json(folder / each)}, each)
            names |= {entry.type_name: entry.repr_str for entry in content.entries}
    return names


def adventure_game(instance: AdventureInstance, names: Mapping[str, str], experiment: str) -> TextGame:
    """Return the game of an instance.

    Raises:
        InvalidDocument: If its prompt states no goal.
    """
    match = _GOAL.search(instance.prompt)
    if match is None:
        raise InvalidDocument(f"{experiment} {instance.game_id}", ["the prompt states no goal"])
    return TextGame(
        f"{experiment} {instance.game_id}",
        experiment,
        "",
        match["goal"],
        lambda: adventure_world(instance, names),
        instance.max_turns,
        instance.optimal_turns,
        ends_itself=False,
    )


def adventure_world(instance: AdventureInstance, names: Mapping[str, str]) -> TextWorld:
    """Build the world of an instance; floors are furniture on which items lie, as in the game."""
    facts = [_atom(each) for each in instance.initial_state]
    types = {ids[0]: ids[1] for name, ids in facts if name in ("type", "room")}
    named = {each: names.get(kind, kind) for each, kind in types.items()}
    at = {ids[0]: ids[1] for name, ids in facts if name == "at"}
    rooms = {ids[0]: named[ids[0]] for name, ids in facts if name == "room"}
    sets = {
        kind: {ids[0] for name, ids in facts if name == kind}
        for kind in ("takeable", "container", "support", "openable", "closed")
    }
    furniture = {
        each: Furniture(each, named[each], at[each], each in sets["container"], each in sets["openable"])
        for each in sorted(sets["container"] | sets["support"])
    }
    placed = {ids[0]: ids[1] for name, ids in facts if name in ("on", "in")}
    items = {each: named[each] for each in sorted(sets["takeable"])}
    exits = {room: frozenset(i[1] for name, i in facts if name == "exit" and i[0] == room) for room in rooms}
    return TextWorld(
        rooms=rooms,
        exits=exits,
        furniture=furniture,
        items=items,
        at={each: placed.get(each, at[each]) for each in items},
        robot=at["player1"],
        closed=sets["closed"],
        objectives=tuple(
            Objective(ids[0], frozenset({ids[1]})) for _, ids in map(_atom, instance.goal_state)
        ),
        keeps_score=False,
    )


def _atom(text: str) -> tuple[str, tuple[str, ...]]:
    match = _ATOM.fullmatch(text)
    if match is None:
        raise InvalidDocument("a state of AdventureGame", [f"{text!r} is not a fact such as 'at(a,b)'"])
    return match["name"], tuple(each.strip() for each in match["ids"].split(","))
