"""A policy says for every goal what one of its rules says, and names what is wrong with it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.consent.identities import Identity
from openral_core.consent.policy import (
    InvalidPolicy,
    Permission,
    Policy,
    Rule,
    Subject,
    load_policy,
    parse_policy,
)
from openral_core.geometry import Pose
from openral_core.home_map import HomeMap, load_map
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import ParamValue, Verb
from openral_core.spatial_memory import NodeKind, Presence, SceneGraph, SceneNode

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "consent_policy.yaml"
VERBS, PERMISSIONS = st.sampled_from(Verb), st.sampled_from(Permission)


@pytest.fixture(scope="module")
def home() -> HomeMap:
    return load_map(ROOT / "scenes" / "maps" / "home.yaml")


AT = Pose((1.0, 1.0, 0.8))
ELSEWHERE = Pose((3.0, 1.0, 0.8))


def subject(
    verb: Verb,
    home: HomeMap | None,
    holding: str = "",
    graph: SceneGraph | None = None,
    held: tuple[str, ...] = (),
    **params: ParamValue,
) -> Subject:
    goal = ValidatedGoal(verb.value.lower(), verb, params, 60.0)
    return Subject.of(goal, Identity(holding, frozenset(held)), home, graph)


def memory(*labels: str, pose: Pose = AT, kind: NodeKind = NodeKind.OBJECT, **values: Any) -> SceneGraph:
    """Return a memory of one object with these labels, and of another that is far away."""
    votes = dict.fromkeys(labels, 1.0)
    it = SceneNode("it", kind, labels[0], pose, votes=votes, **{"unprompted": labels, **values})
    spoon = SceneNode(
        "spoon-1", NodeKind.OBJECT, "spoon", ELSEWHERE, votes={"spoon": 1.0}, unprompted=("spoon",)
    )
    return SceneGraph((it, spoon))


def fridge(home: HomeMap) -> Pose:
    pose = home.fixture("fridge").pose
    return Pose((pose.x, pose.y, 1.0))


def test_the_shipped_example_fits_its_home(home: HomeMap) -> None:
    policy = load_policy(str(EXAMPLE), home)
    assert [name for name, _ in policy.named_rules] == ["knives", "fridge", "bottles"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: [{permit: maybe}]", "'always', 'ask once', 'ask each time' or 'never'"),
        ("rules: [{permit: never, verbs: [FLY]}]", "'NAVIGATE'"),
        ("rules: [{permit: never, place: [fridge]}]", "unknown key 'rules.0.place'"),
        ("rules: [{permit: never, verbs: [OPEN], objects: [knife]}]", "they concern"),
        ("rules: [{permit: never, objects: ['...']}]", "no letter or digit"),
        ("rules: [{permit: never, places: [fridg]}]", "'fridge'"),
        ("rules: [{permit: never, people: [eve]}]", "'requester'"),
        ("rules: [{permit: never, id: a}, {permit: always, id: a}]", "duplicate id 'a'"),
        ("keep_out: [{id: a, name: a, polygon: [[0, 0], [1, 1]]}]", "at least 3 corners"),
        ("near_people: {speed: 0}", "greater than 0"),
        ("near_people: {speed: .nan}", "finite number"),
        ("default: sometimes", "'always'"),
        ("[1, 2]", "mapping"),
        ("{", "policy.yaml"),
    ],
)
def test_a_mistake_is_told_with_what_is_valid(text: str, said: str, home: HomeMap, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    with pytest.raises(InvalidPolicy, match="policy") as error:
        load_policy(str(file), home)
    assert said in str(error.value)


def test_places_need_a_map(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("rules: [{permit: never, places: [fridge]}]")
    with pytest.raises(InvalidPolicy, match="none without a map"):
        load_policy(str(file), None)


def test_a_published_policy_is_the_same_policy(home: HomeMap) -> None:
    policy = load_policy(str(EXAMPLE), home)
    assert parse_policy(policy.to_yaml()) == policy


@given(VERBS, st.lists(st.builds(Rule, permit=PERMISSIONS, verbs=st.tuples(VERBS)), max_size=4), PERMISSIONS)
def test_the_first_rule_that_matches_decides(verb: Verb, rules: list[Rule], default: Permission) -> None:
    policy = Policy(rules=tuple(rules), default=default)
    said = [rule.permit for rule in policy.rules if rule.matches(Subject(verb))]
    assert policy.offers(verb) is ([*said, default][0] is not Permission.NEVER)
    if [*said, default][0] is not Permission.ALWAYS:
        assert policy.in_words(verb)


@given(VERBS, PERMISSIONS, st.sampled_from(("objects", "places", "people")))
def test_what_a_goal_leaves_unsaid_is_never_permitted_by_a_name(
    verb: Verb, permit: Permission, key: str
) -> None:
    rule = Rule.model_validate({"permit": permit, key: ["knife"]})
    unnamed = Subject(verb, objects=(Identity(),))
    concerned = {
        "objects": {Verb.GRASP, Verb.PLACE, Verb.POUR, Verb.HANDOVER},
        "people": {Verb.HANDOVER},
        "places": set(Verb),
    }
    assert rule.matches(unnamed) is (permit is not Permission.ALWAYS and verb in concerned[key])


@pytest.mark.parametrize(
    ("label", "matches"),
    [("knife", True), ("Kitchen knives", True), ("the KNIFE", True), ("penknife", False), ("fork", False)],
)
def test_an_object_is_known_by_the_words_of_its_label(label: str, *, matches: bool) -> None:
    rule = Rule(permit=Permission.NEVER, objects=("knife",))
    spoon, known = memory("spoon"), ("spoon",)
    assert rule.matches(subject(Verb.GRASP, None, graph=spoon, target=AT, label=label)) is matches
    assert rule.matches(subject(Verb.PLACE, None, holding=label, held=known)) is matches
    pour = subject(Verb.POUR, None, graph=spoon, target=AT, label="glass", holding=label, held=known)
    assert rule.matches(pour) is matches


@pytest.mark.parametrize(
    "params",
    [
        {"label": "french bread"},
        {"label": "food"},
        {"label": "b\u0430guette"},
        {"label": "spoon"},
        {"label": ""},
        {},
        {"label": "baguette", "target": ELSEWHERE},
        {"label": "thing", "target": Pose((1.15, 1.1, 0.75))},
        {"label": "spoon", "target": Pose((9.0, 9.0, 0.8))},
        {"label": "spoon", "inside": "spoon-1", "container_id": "spoon-1", "node_id": "spoon-1"},
    ],
)
@pytest.mark.parametrize("verb", [Verb.GRASP, Verb.POUR])
@pytest.mark.parametrize(
    "labels", [("baguette",), ("loaf", "baguette"), ("French bread",), ("b\u0430guette",)]
)
def test_no_word_of_the_asker_talks_past_never(
    labels: tuple[str, ...], verb: Verb, params: dict[str, ParamValue]
) -> None:
    rule = Rule(permit=Permission.NEVER, objects=("baguette",))
    goal = subject(verb, None, graph=memory(*labels), **{"target": AT, **params})
    assert rule.matches(goal)
    for verb_of_held in (Verb.PLACE, Verb.HANDOVER, Verb.POUR):
        renamed = str(params.get("label", ""))
        assert rule.matches(subject(verb_of_held, None, holding=renamed, held=labels, target=AT))


@pytest.mark.parametrize(
    ("labels", "name", "matches"),
    [
        (("steak knife",), "cutlery", True),
        (("mug",), "cutlery", False),
        (("cup", "knife"), "knife", True),
        (("cup",), "knife", False),
    ],
)
def test_a_rule_sees_every_label_with_its_kinds(labels: tuple[str, ...], name: str, *, matches: bool) -> None:
    rule = Rule(permit=Permission.NEVER, objects=(name,))
    assert rule.matches(subject(Verb.GRASP, None, graph=memory(*labels), target=AT, label="it")) is matches


@pytest.mark.parametrize(
    ("graph", "permitted"),
    [
        (memory("mug"), True),
        (memory("mug", "knife"), False),
        (memory("knife"), False),
        (memory("mug", presence=Presence.GONE), False),
        (memory("mug", unprompted=()), False),
        (None, False),
    ],
)
def test_a_permission_needs_that_memory_knows_nothing_else(
    graph: SceneGraph | None, *, permitted: bool
) -> None:
    rule = Rule(permit=Permission.ALWAYS, objects=("mug",))
    assert rule.matches(subject(Verb.GRASP, None, graph=graph, target=AT, label="mug")) is permitted


def test_a_person_is_known_by_where_they_stand() -> None:
    child, anna = (memory(name, kind=NodeKind.AGENT, pose=AT) for name in ("child", "Anna"))
    never = Rule(permit=Permission.NEVER, people=("child",))
    to_anna = Rule(permit=Permission.ALWAYS, people=("Anna",))
    for graph, is_child in ((child, True), (anna, False), (None, True)):
        goal = subject(Verb.HANDOVER, None, graph=graph, agent=AT, agent_id="Anna")
        assert never.matches(goal) is is_child
        assert to_anna.matches(goal) is not is_child


def test_the_operator_is_asked_by_the_name_that_memory_has() -> None:
    goal = subject(Verb.GRASP, None, graph=memory("knife"), target=AT, label="spoon")
    assert goal.in_words() == "take the knife or spoon"


def test_a_place_is_known_by_where_the_target_is_whatever_the_goal_calls_it(home: HomeMap) -> None:
    rule = Rule(permit=Permission.NEVER, places=("fridge",))
    assert rule.matches(subject(Verb.OPEN, home, target=fridge(home), container_id="cabinet"))
    assert rule.matches(subject(Verb.GRASP, home, target=fridge(home), label="milk"))
    assert rule.matches(subject(Verb.OPEN, home, target=Pose((5.0, 2.0, 1.0)), container_id="Fridge"))
    assert not rule.matches(subject(Verb.GRASP, home, target=Pose((7.5, 2.0, 0.5)), label="milk"))


@pytest.mark.parametrize(
    ("places", "container", "permitted"),
    [
        (("fridge",), "fridge", True),
        (("fridge",), "", True),
        (("kitchen",), "fridge", True),
        (("cabinet",), "cabinet", False),
        (("fridge",), "cabinet", False),
        (("cabinet",), "fridge", False),
    ],
)
def test_a_place_is_permitted_only_if_pose_and_id_both_mean_it(
    home: HomeMap, places: tuple[str, ...], container: str, *, permitted: bool
) -> None:
    rule = Rule(permit=Permission.ALWAYS, places=places)
    assert rule.matches(subject(Verb.OPEN, home, target=fridge(home), container_id=container)) is permitted
    assert not rule.matches(subject(Verb.OPEN, home, container_id=container))


def test_a_room_and_a_person_are_known_by_every_name(home: HomeMap) -> None:
    pose = fridge(home)
    assert Rule(permit=Permission.NEVER, places=("Kitchen",)).matches(subject(Verb.NAVIGATE, home, goal=pose))
    person = Rule(permit=Permission.NEVER, people=(home.agent("requester").name.upper(),))
    for names, is_person in (("requester", True), ("someone", False)):
        graph = memory(names, kind=NodeKind.AGENT, pose=pose)
        assert (
            person.matches(subject(Verb.HANDOVER, home, graph=graph, agent=pose, agent_id=names)) is is_person
        )


@pytest.mark.parametrize(
    ("verb", "params", "words"),
    [
        (Verb.OPEN, {"container_id": "fridge"}, "open the fridge"),
        (Verb.GRASP, {"label": "mug"}, "take the mug"),
        (Verb.POUR, {"label": "glass"}, "pour the wine into glass"),
        (Verb.HANDOVER, {"agent_id": "nan"}, "hand the wine to nan"),
        (Verb.PLACE, {}, "put down the wine"),
        (Verb.NAVIGATE, {}, "drive"),
        (Verb.SWITCH, {"control_id": "tv_button"}, "switch the tv_button"),
    ],
)
def test_a_step_is_told_in_words(verb: Verb, params: dict[str, ParamValue], words: str) -> None:
    assert subject(verb, None, holding="wine", **params).in_words() == words


def test_a_control_is_told_and_ruled_by_the_name_of_its_appliance(home: HomeMap) -> None:
    button = {"target": Pose.planar(6.99, 4.404, -1.5708, 1.07), "control_id": "tv_button"}
    assert subject(Verb.SWITCH, home, **button).in_words() == "switch the TV"
    assert subject(Verb.PRESS, home, **button).in_words() == "press the TV"
    rule = Rule(permit=Permission.NEVER, verbs=(Verb.SWITCH,), places=("television",))
    assert rule.matches(subject(Verb.SWITCH, home, **button))
    permit = Rule(permit=Permission.ALWAYS, places=("television",))
    assert permit.matches(subject(Verb.SWITCH, home, **button))
    lamp = {"target": Pose.planar(9.558, 3.85, 3.1416, 1.05), "control_id": "floor_lamp_switch"}
    assert not rule.matches(subject(Verb.SWITCH, home, **lamp))
    assert not permit.matches(subject(Verb.SWITCH, home, **{**lamp, "control_id": "tv_button"}))
