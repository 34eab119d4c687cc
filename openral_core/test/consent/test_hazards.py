"""Hazards: what is asked about without any policy, what is not, and who may permit it."""

from dataclasses import replace
from pathlib import Path

import pytest

from openral_core.consent.decisions import Consent, ConsentOutcome
from openral_core.consent.hazards import Hazards, load_hazards
from openral_core.consent.identities import Identity
from openral_core.consent.policy import Permission, Policy, Rule, Subject
from openral_core.home_map import Agent, load_map
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import Verb


def handover(thing: str, person: str, *known: str) -> Subject:
    return Subject(
        Verb.HANDOVER, (Identity(thing, frozenset(known)),), people=(Identity(person, frozenset((person,))),)
    )


def place(thing: str, *places: str) -> Subject:
    return Subject(Verb.PLACE, (Identity(thing, frozenset((thing,))),), frozenset(places))


def pour(contents: str, vessel: str) -> Subject:
    return Subject(Verb.POUR, (Identity(vessel), Identity(contents)))


def take(thing: str) -> Subject:
    return Subject(Verb.GRASP, (Identity(thing, frozenset((thing,))),))


@pytest.mark.parametrize(
    ("subject", "hazard"),
    [
        (handover("bread knife", "baby"), "to_a_child"),
        (handover("scissors", "my son"), "to_a_child"),
        (handover("bottle of bleach", "toddler"), "to_a_child"),
        (handover("pill box", "granddaughter"), "to_a_child"),
        (handover("thing", "kid", "razor"), "to_a_child"),
        (handover("glass of wine", "little brother"), "to_a_child"),
        (place("dish towel", "stove"), "fire"),
        (place("newspaper", "kitchen_stove", "kitchen"), "fire"),
        (place("newspaper", "glowing hotplate"), "fire"),
        (place("candle", "sofa"), "open_flame"),
        (place("laptop", "oven"), "electric_heat"),
        (place("hair dryer", "bathtub"), "electric_water"),
        (place("fork", "microwave_1"), "metal_in_microwave"),
        (place("towel", "desk lamp"), "fire"),
        (place("pen", "wall socket"), "socket"),
        (place("remote", "fish tank"), "electric_water"),
        (place("glass of water", "laptop"), "water_on_electric"),
        (place("plastic bowl", "stove"), "melting"),
        (place("hairspray can", "radiator"), "bursting"),
        (place("wine glass", "window sill"), "fragile_height"),
        (place("cat", "washing machine"), "alive_closed_in"),
        (take("kitten"), "alive"),
        (pour("drain cleaner", "water bottle"), "poison_in_tableware"),
    ],
)
def test_what_is_dangerous_together_is_asked_about(subject: Subject, hazard: str) -> None:
    decision = Consent(Policy(), "s").decide(subject, 0.0)
    assert decision.outcome is ConsentOutcome.ASKED
    assert decision.rule == f"hazard {hazard}"
    assert decision.reason


@pytest.mark.parametrize(
    "subject",
    [
        handover("bread knife", "Anna"),
        handover("mug", "baby"),
        handover("teddy bear", "my son"),
        place("pan", "stove"),
        place("knife", "kitchen counter"),
        place("candle", "table"),
        place("mug", "microwave"),
        place("phone", "bedside table"),
        place("plate", "dishwasher"),
        take("cat food"),
        take("baby bottle"),
        take("bird cage"),
        take("dog leash"),
        pour("water", "glass"),
        pour("milk", "cat bowl"),
    ],
)
def test_what_is_common_is_not(subject: Subject) -> None:
    assert Consent(Policy(), "s").decide(subject, 0.0).outcome is ConsentOutcome.PERMITTED


def test_a_yes_permits_it_once() -> None:
    consent = Consent(Policy(), "s")
    subject = handover("knife", "kid")
    asked = consent.decide(subject, 0.0)
    consent.answer(asked.question_id, yes=True, now=1.0)
    assert consent.decide(subject, 2.0).outcome is ConsentOutcome.PERMITTED
    assert consent.decide(subject, 3.0).outcome is ConsentOutcome.ASKED


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        (Rule(permit=Permission.NEVER, objects=("knife",)), ConsentOutcome.REFUSED),
        (Rule(permit=Permission.ALWAYS, objects=("knife",)), ConsentOutcome.ASKED),
        (Rule(permit=Permission.ALWAYS, verbs=(Verb.HANDOVER,)), ConsentOutcome.ASKED),
        (Rule(permit=Permission.ALWAYS, objects=("knife",), people=("kid",)), ConsentOutcome.PERMITTED),
    ],
)
def test_a_policy_tightens_it_and_permits_it_only_by_a_rule_about_both(
    rule: Rule, outcome: ConsentOutcome
) -> None:
    subject = replace(handover("knife", "kid"), objects=(Identity("knife", frozenset(("knife",))),))
    assert Consent(Policy(rules=(rule,)), "s").decide(subject, 0.0).outcome is outcome


def test_a_child_of_the_map_is_one_by_any_name() -> None:
    home_map = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
    lily = Agent.model_validate(
        {"id": "lily", "name": "Lily", "aliases": ["Lil"], "room": home_map.rooms[0].id, "child": True}
        | {"pose": {"x": 0.0, "y": 0.0}}
    )
    home = home_map.model_copy(update={"agents": (*home_map.agents, lily)})
    goal = ValidatedGoal("handover", Verb.HANDOVER, {"agent_id": "Lil"}, 1.0)
    knife = Identity("knife", frozenset(("knife",)))
    asked = Consent(Policy(), "s").decide(Subject.of(goal, knife, home), 0.0)
    assert asked.rule == "hazard to_a_child"
    grown = home.model_copy(update={"agents": (lily.model_copy(update={"child": False}),)})
    assert Consent(Policy(), "s").decide(Subject.of(goal, knife, grown), 0.0).outcome is (
        ConsentOutcome.PERMITTED
    )


def test_every_hazard_names_its_source_and_an_unknown_kind_is_refused() -> None:
    hazards = load_hazards()
    assert all(hazard.source and hazard.reason for hazard in hazards.hazards)
    content = hazards.model_dump(mode="json")
    content["hazards"][0]["objects"] = ["spiky"]
    with pytest.raises(ValueError, match="no kind 'spiky'; known are"):
        Hazards.model_validate(content)
