"""Policy of consent: what a robot may do, what its operator has to permit, and what it never does.

The first rule that matches a goal decides; without one, the policy's default does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

import yaml
from pydantic import Field, FiniteFloat, StringConstraints, model_validator

from openral_core.consent.identities import Identity, object_at, people_at
from openral_core.documents import Document, InvalidDocument, parse_document, read_yaml
from openral_core.errors import format_choices, quoted
from openral_core.geometry import Pose
from openral_core.home_map import Agent, Appliance, Fixture, HomeMap, NoGoZone, Place, Room
from openral_core.parsing import InvalidText, parse_yaml
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import Verb
from openral_core.spatial_memory import SceneGraph
from openral_core.text.noun_phrases import label_words

OF_OBJECTS = frozenset({Verb.GRASP, Verb.PLACE, Verb.POUR, Verb.HANDOVER})
"""Verbs that handle an object, which rules with `objects` are about."""
OF_PEOPLE = frozenset({Verb.HANDOVER})
"""Verbs that address a person, which rules with `people` are about."""
BESIDE = 0.10
"""Distance from a fixture's footprint at which a target still belongs to it [m]: a handle stands out."""
AT_PLACE = 0.5
"""Distance from a named base pose at which a target belongs to it [m]."""
MAX_TEXT = 200_000
"""Longest policy that is read from a topic [characters]: a reasoner waits while it is parsed."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class Permission(StrEnum):
    """Permission that a rule gives to a goal."""

    ALWAYS = "always"
    ASK_ONCE = "ask once"
    ASK_EACH_TIME = "ask each time"
    NEVER = "never"


_IN_WORDS = {
    Permission.ALWAYS: "permitted",
    Permission.ASK_ONCE: "needs the operator's yes, once",
    Permission.ASK_EACH_TIME: "needs the operator's yes each time",
    Permission.NEVER: "never permitted",
}


class Rule(Document):
    """One rule; a key that is left out matches everything."""

    id: str = Field(default="", max_length=64, description="name in decisions; empty = its number")
    permit: Permission
    verbs: tuple[Verb, ...] = ()
    objects: tuple[Name, ...] = Field(default=(), description="labels; 'knife' matches 'kitchen knife'")
    places: tuple[Name, ...] = Field(default=(), description="ids or names of rooms, places and fixtures")
    people: tuple[Name, ...] = Field(default=(), description="ids or names of the map's agents")
    reason: str = Field(default="", max_length=200, description="told to the operator and the model")

    @model_validator(mode="after")
    def _verbs_have_what_they_are_about(self) -> Self:
        for key, names, about in (
            ("objects", self.objects, OF_OBJECTS),
            ("people", self.people, OF_PEOPLE),
        ):
            if names and (wrong := sorted(set(self.verbs) - about)):
                raise ValueError(f"{key} have no meaning for {wrong}; they concern {sorted(about)}")
        for name in self.objects:
            if not label_words(name):
                raise ValueError(f"objects: {name!r} has no letter or digit")
        return self

    @property
    def is_about_a_pair(self) -> bool:
        """True if it names objects and also people or places, so that it may permit what is a hazard."""
        return bool(self.objects and (self.people or self.places))

    def matches(self, subject: "Subject") -> bool:
        """Return True if the rule is about a goal.

        What a goal leaves unsaid is matched by rules that restrict, never by one that permits.
        """
        restricts = self.permit is not Permission.ALWAYS
        if self.verbs and subject.verb not in self.verbs:
            return False
        if self.objects and not (subject.verb in OF_OBJECTS and self._is_about_objects(subject, restricts)):
            return False
        if self.people and not (subject.verb in OF_PEOPLE and self._is_about_people(subject, restricts)):
            return False
        return not self.places or self._is_about_places(subject, restricts)

    def may_match(self, subject: "Subject") -> bool:
        """Return True if it restricts objects, and could be about one that only answers to queries name."""
        if self.permit is Permission.ALWAYS or not self.objects:
            return False
        unknown = (Identity() if each.is_hearsay else each for each in subject.objects)
        return self.matches(replace(subject, objects=tuple(unknown)))

    def _is_about_objects(self, subject: "Subject", restricts: bool) -> bool:
        if restricts:
            return _are(subject.objects, self.objects)
        have_labels = all(each.labels for each in subject.objects)
        return have_labels and any(each.surely_is(self.objects) for each in subject.objects)

    def _is_about_places(self, subject: "Subject", restricts: bool) -> bool:
        if restricts:
            return subject.places is None or _share(self.places, subject.places)
        return bool(subject.surely_at) and all(_share(self.places, names) for names in subject.surely_at)

    def _is_about_people(self, subject: "Subject", restricts: bool) -> bool:
        if restricts:
            return _are(subject.people, self.people)
        return bool(subject.people) and all(each.is_known_as(self.people) for each in subject.people)

    def in_words(self) -> str:
        """Describe the rule to a model: what it is about, and what it says."""
        about = ", ".join((*self.objects, *self.places, *self.people)) or "everything"
        return f"{about}: {_IN_WORDS[self.permit]}" + (f" ({self.reason})" if self.reason else "")


class NearPeople(Document):
    """Motion near people; lengths in [m], speeds in [m/s]."""

    distance: FiniteFloat = Field(default=1.2, ge=0.0, le=10.0, description="within which `speed` holds")
    speed: FiniteFloat = Field(default=0.45, gt=0.0, le=2.0, description="top speed of the base there")
    base: FiniteFloat = Field(default=0.50, ge=0.0, le=5.0, description="least distance of the base")
    hand: FiniteFloat = Field(default=0.22, ge=0.0, le=2.0, description="least distance of the hand")


class Policy(Document):
    """The rules of one robot; the default permits everything."""

    default: Permission = Permission.ALWAYS
    rules: tuple[Rule, ...] = Field(default=(), max_length=256)
    keep_out: tuple[NoGoZone, ...] = Field(default=(), max_length=256, description="areas, in map")
    near_people: NearPeople = NearPeople()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        names = [name for name, _ in self.named_rules]
        for ids in (names, [zone.id for zone in self.keep_out]):
            if twice := sorted({name for name in ids if ids.count(name) > 1}):
                raise ValueError(f"duplicate id {twice[0]!r}")
        return self

    @property
    def named_rules(self) -> tuple[tuple[str, Rule], ...]:
        """The rules with their names in decisions."""
        return tuple((rule.id or f"rule {number}", rule) for number, rule in enumerate(self.rules, 1))

    def offers(self, verb: Verb) -> bool:
        """Return False if no goal of a verb can be permitted."""
        for rule in self.rules:
            if not rule.verbs or verb in rule.verbs:
                if rule.permit is not Permission.NEVER:
                    return True
                if not (rule.objects or rule.places or rule.people):
                    return False
        return self.default is not Permission.NEVER

    def in_words(self, verb: Verb) -> tuple[str, ...]:
        """Return one line per rule about a verb, none if everything is permitted."""
        rules = [rule for rule in self.rules if self._concerns(rule, verb)]
        if not any(rule.permit is not Permission.ALWAYS for rule in rules) and (
            self.default is Permission.ALWAYS
        ):
            return ()
        rest = f"anything else: {_IN_WORDS[self.default]}"
        return (*(rule.in_words() for rule in rules), rest)

    @staticmethod
    def _concerns(rule: Rule, verb: Verb) -> bool:
        about_it = not rule.verbs or verb in rule.verbs
        has_objects, has_people = not rule.objects or verb in OF_OBJECTS, not rule.people or verb in OF_PEOPLE
        return about_it and has_objects and has_people

    def to_yaml(self) -> str:
        """Return the document with every default."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


class InvalidPolicy(InvalidDocument):
    """A policy that does not match its schema, or names what the map lacks."""


def load_policy(file: str, home: HomeMap | None) -> Policy:
    """Load the policy of a robot in a home; "" permits everything.

    Raises:
        InvalidPolicy: Naming every wrong key with its valid values.
    """
    if not file:
        return Policy()
    try:
        content = read_yaml(Path(file))
    except InvalidDocument as error:
        raise InvalidPolicy(error.path, list(error.problems)) from error
    policy = parse_document(Policy, content, file, InvalidPolicy)
    if problems := list(unknown_names(policy, home)):
        raise InvalidPolicy(file, problems)
    return policy


def parse_policy(text: str) -> Policy:
    """Parse the text of a policy that another node published.

    Raises:
        InvalidPolicy: If it is none.
    """
    try:
        content = parse_yaml(text, MAX_TEXT)
    except InvalidText as error:
        raise InvalidPolicy("policy", [str(error)]) from error
    return parse_document(Policy, content, "policy", InvalidPolicy)


def unknown_names(policy: Policy, home: HomeMap | None) -> Iterable[str]:
    """Yield a problem for every name of a rule that the map lacks, with the valid ones."""
    places = {name: item.id for item in places_of(home) for name in names_of(item)}
    people = {name: agent.id for agent in (home.agents if home else ()) for name in names_of(agent)}
    for number, rule in enumerate(policy.rules):
        for key, names, existing in (("places", rule.places, places), ("people", rule.people, people)):
            for name in names:
                if name.casefold() not in existing:
                    valid = format_choices(sorted(set(existing.values()))) if home else "none without a map"
                    yield f"rules.{number}.{key}: the map has no {quoted(name)}; valid are {valid}"


def places_of(home: HomeMap | None) -> tuple[Room | Place | Fixture, ...]:
    """Return everything in a map that a rule may name as a place."""
    return (*home.rooms, *home.places, *home.fixtures) if home else ()


def names_of(item: Room | Place | Fixture | Agent) -> frozenset[str]:
    """Return the id, name and aliases of a part of the map, without case."""
    return frozenset(name.casefold() for name in (item.id, item.name, *item.aliases))


def _are(subjects: tuple[Identity, ...], names: tuple[str, ...]) -> bool:
    """Return True unless it is certain that a restriction of ``names`` is not about a goal."""
    return not subjects or any(each.may_be(names) for each in subjects)


def _share(listed: Iterable[str], names: frozenset[str]) -> bool:
    return bool({name.casefold() for name in listed} & names)


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a goal, as the skill server knows it."""

    verb: Verb
    objects: tuple[Identity, ...] = ()  # Objects that it handles, with all that memory calls them.
    # Names of the rooms, places and fixtures at its target; None if it has no target.
    places: frozenset[str] | None = None
    # Names of the places at its poses, and those of each place that an id in it means; none without a pose.
    surely_at: tuple[frozenset[str], ...] = ()
    people: tuple[Identity, ...] = ()  # Person that it addresses; none if it names none.
    drives_to: tuple[float, float] | None = None  # Where it sends the base, (x, y) in map [m].
    shown: tuple[str, str, str] = ("", "", "")  # Object, place and person for a question, "" for none.

    @classmethod
    def of(
        cls, goal: ValidatedGoal, holding: Identity, home: HomeMap | None, graph: SceneGraph | None = None
    ) -> Self:
        """Read a goal; what it lets go of is what the hand is ``holding``, what it takes is in ``graph``."""
        text = {name: value for name, value in goal.params.items() if isinstance(value, str)}
        poses = {name: value for name, value in goal.params.items() if isinstance(value, Pose)}
        taken = object_at(text.get("label", ""), poses.get("target"), graph)
        objects = {Verb.GRASP: (taken,), Verb.POUR: (taken, holding)}.get(goal.verb, (holding,))
        ids = {text[key].casefold() for key in _IDS if text.get(key)}
        there = [item for item in places_of(home) if names_of(item) & ids or _is_at(item, poses.values())]
        worked = _appliance(home, text.get("control_id", ""))
        names = _names_of_appliance(worked) if worked else frozenset()
        places = frozenset().union(ids, names, *(names_of(item) for item in there)) if poses or ids else None
        agent = text.get("agent_id", "").casefold()
        agents = [item for item in (home.agents if home else ()) if agent in names_of(item)]
        people = people_at(agent, poses.get("agent"), graph) if goal.verb in OF_PEOPLE else ()
        people = tuple(_with_age(person, home) for person in people)
        goal_pose = poses.get("goal") if goal.verb is Verb.NAVIGATE else None
        shown_object = " into ".join(each.shown for each in reversed(objects) if each.shown)
        shown_place = min(there, key=_extent).name if there else min(ids, default="")
        shown_place = worked.name if worked else shown_place
        return cls(
            goal.verb,
            objects if goal.verb in OF_OBJECTS else (),
            places,
            _surely_at(frozenset(ids), tuple(poses.values()), home, worked),
            people,
            (goal_pose.position[0], goal_pose.position[1]) if goal_pose else None,
            (shown_object, shown_place, agents[0].name if agents else agent),
        )

    def in_words(self) -> str:
        """Describe the goal as in a question, such as "open the fridge"."""
        thing, place, person = self.shown
        verb, wants = _WORDS[self.verb]
        words = [f"the {thing or 'object'}"] if "object" in wants else []
        words += [f"{wants['place']} the {place}".strip()] if "place" in wants and place else []
        words += [f"to {person or 'a person'}"] if "person" in wants else []
        return " ".join((verb, *words))


_IDS = ("container_id", "control_id", "node_id", "inside")
"""Parameters that name a node at a goal's target."""
_WORDS: Mapping[Verb, tuple[str, Mapping[str, str]]] = {
    Verb.NAVIGATE: ("drive", {"place": "to"}),
    Verb.LOOK_AT: ("look", {"place": "at"}),
    Verb.OPEN: ("open", {"place": ""}),
    Verb.CLOSE: ("close", {"place": ""}),
    Verb.GRASP: ("take", {"object": "", "place": "from"}),
    Verb.PLACE: ("put down", {"object": "", "place": "at"}),
    Verb.POUR: ("pour", {"object": "", "place": "at"}),
    Verb.HANDOVER: ("hand", {"object": "", "person": ""}),
    Verb.EXPLORE: ("explore the home", {}),
    Verb.SWITCH: ("switch", {"place": ""}),
    Verb.PRESS: ("press", {"place": ""}),
}


def _surely_at(
    ids: frozenset[str], poses: tuple[Pose, ...], home: HomeMap | None, worked: Appliance | None
) -> tuple[frozenset[str], ...]:
    """Return the names of the places at some poses, and of each place that an id means; both are claims."""
    if not poses:
        return ()
    places = places_of(home)
    named = [item for item in places if names_of(item) & ids]
    around = [
        frozenset().union(names_of(item), *(names_of(other) for other in places if _holds(other, item)))
        for item in named
    ]
    there = [item for item in places if _is_at(item, poses)]
    at_pose = frozenset().union(*map(names_of, there))
    if worked is not None and any(isinstance(item, Fixture) and worked in item.appliances for item in there):
        at_pose |= _names_of_appliance(worked)
    return (at_pose, *around)


def _with_age(person: Identity, home: HomeMap | None) -> Identity:
    """Return a person, called a child too if the map says so."""
    names = {name.casefold() for name in (person.name, *person.labels)}
    children = (agent for agent in (home.agents if home else ()) if agent.child)
    is_child = any(names_of(agent) & names for agent in children)
    return replace(person, labels=person.labels | {"child"}) if is_child else person


def _names_of_appliance(part: Appliance) -> frozenset[str]:
    return frozenset(name.casefold() for name in (part.id, part.name, *part.aliases))


def _holds(room: Room | Place | Fixture, item: Room | Place | Fixture) -> bool:
    """Return True if a room holds a place or fixture."""
    if not isinstance(room, Room) or isinstance(item, Room):
        return False
    return room.contains(item.pose.x, item.pose.y)


def _appliance(home: HomeMap | None, control_id: str) -> Appliance | None:
    """Return the appliance of the map that a control turns on and off."""
    parts = (part for fixture in (home.fixtures if home else ()) for part in fixture.appliances)
    return next((part for part in parts if part.control.id == control_id), None)


def _is_at(item: Room | Place | Fixture, poses: Iterable[Pose]) -> bool:
    for pose in poses:
        x, y, _ = pose.position
        if isinstance(item, Room):
            inside = item.contains(x, y)
        elif isinstance(item, Fixture):
            inside = item.footprint.contains(*item.pose.to_local(x, y), margin=-BESIDE)
        else:
            inside = (x - item.pose.x) ** 2 + (y - item.pose.y) ** 2 <= AT_PLACE**2
        if inside:
            return True
    return False


def _extent(item: Room | Place | Fixture) -> int:
    """Order places by how precisely they tell where a target is."""
    return (Fixture, Place, Room).index(type(item))
