"""Goals are permitted by a rule or by a yes to the very question, and by nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.consent.decisions import (
    OPEN_QUESTIONS,
    QUESTION,
    STEP,
    YES_LASTS,
    Consent,
    ConsentNeeded,
    ConsentOutcome,
    NotPermitted,
    is_yes,
)
from openral_core.consent.identities import Identity
from openral_core.consent.policy import Permission, Policy, Rule, Subject
from openral_core.home_map import NoGoZone
from openral_core.skills import SkillStatus, Verb

FRIDGE = Subject(Verb.OPEN, places=frozenset({"fridge"}), shown=("", "fridge", ""))
SAFE = Subject(Verb.OPEN, places=frozenset({"safe"}), shown=("", "safe", ""))


def asking(permit: Permission) -> Consent:
    return Consent(Policy(default=permit), "s")


@pytest.mark.parametrize("permit", [Permission.ASK_ONCE, Permission.ASK_EACH_TIME])
def test_a_yes_permits_the_step_that_was_asked_about_and_no_other(permit: Permission) -> None:
    consent = asking(permit)
    asked = consent.decide(FRIDGE, 0.0)
    assert (asked.outcome, asked.step) == (ConsentOutcome.ASKED, "open the fridge")
    assert consent.decide(FRIDGE, 1.0).question_id == asked.question_id == consent.open_question(FRIDGE)
    assert consent.answer(asked.question_id, yes=True, now=2.0)
    assert consent.decide(SAFE, 3.0).outcome is ConsentOutcome.ASKED
    assert consent.decide(FRIDGE, 3.0).outcome is ConsentOutcome.PERMITTED
    again = ConsentOutcome.PERMITTED if permit is Permission.ASK_ONCE else ConsentOutcome.ASKED
    assert consent.decide(FRIDGE, 4.0).outcome is again


def test_a_no_an_old_yes_and_a_second_answer_permit_nothing() -> None:
    consent = asking(Permission.ASK_EACH_TIME)
    first = consent.decide(FRIDGE, 0.0).question_id
    assert consent.answer(first, yes=False, now=0.0)
    assert not consent.answer(first, yes=True, now=0.0)
    second = consent.decide(FRIDGE, 0.0).question_id
    assert second != first
    consent.answer(second, yes=True, now=0.0)
    assert consent.decide(FRIDGE, YES_LASTS).outcome is ConsentOutcome.ASKED


@pytest.mark.parametrize("permit", [Permission.ASK_ONCE, Permission.ASK_EACH_TIME])
def test_a_stop_voids_open_questions_and_what_was_permitted_but_not_done(permit: Permission) -> None:
    consent = asking(permit)
    unused, still_open = consent.decide(FRIDGE, 0.0).question_id, consent.decide(SAFE, 0.0).question_id
    consent.answer(unused, yes=True, now=0.0)
    consent.void()
    assert not consent.answer(still_open, yes=True, now=1.0)
    for subject in (FRIDGE, SAFE):
        assert consent.decide(subject, 1.0).outcome is ConsentOutcome.ASKED


@pytest.mark.parametrize(
    ("rules", "default", "permission", "rule"),
    [
        ([{"permit": "never"}], "always", Permission.ASK_EACH_TIME, "rule 1"),
        ([{"permit": "ask once"}], "always", Permission.ASK_EACH_TIME, "rule 1"),
        ([{"permit": "never"}], "ask once", Permission.ASK_EACH_TIME, "rule 1"),
        ([{"permit": "never"}], "never", Permission.NEVER, "default"),
        (
            [{"permit": "never"}, {"permit": "never", "verbs": ["GRASP"], "objects": []}],
            "always",
            "never",
            "rule 2",
        ),
        ([{"permit": "never", "verbs": ["HANDOVER"]}], "always", Permission.ALWAYS, "default"),
        ([{"permit": "always", "objects": ["mug"]}], "never", Permission.NEVER, "default"),
        ([{"permit": "always", "objects": []}, {"permit": "never"}], "always", Permission.ALWAYS, "rule 1"),
        ([{"permit": "never", "objects": ["mug"]}], "always", Permission.NEVER, "rule 1"),
    ],
)
def test_an_object_that_only_searches_named_is_asked_about_where_a_rule_may_mean_it(
    rules: list[dict[str, object]], default: str, permission: str, rule: str
) -> None:
    policy = {"default": default, "rules": [{"objects": ["knife"], **each} for each in rules]}
    consent = Consent(Policy.model_validate(policy), "s")
    found = Subject(Verb.GRASP, objects=(Identity("mug", frozenset({"mug"}), is_hearsay=True),))
    decision = consent.decide(found, 0.0)
    assert (decision.permission, decision.rule) == (permission, rule)
    if permission == Permission.ASK_EACH_TIME:
        consent.answer(decision.question_id, yes=True, now=0.0)
        assert consent.decide(found, 1.0).outcome is ConsentOutcome.PERMITTED
        assert consent.decide(found, 2.0).outcome is ConsentOutcome.ASKED


def test_a_stop_keeps_what_was_permitted_once_and_done() -> None:
    consent = asking(Permission.ASK_ONCE)
    consent.answer(consent.decide(FRIDGE, 0.0).question_id, yes=True, now=0.0)
    assert consent.decide(FRIDGE, 0.0).outcome is ConsentOutcome.PERMITTED
    consent.void()
    assert consent.decide(FRIDGE, 1.0).outcome is ConsentOutcome.PERMITTED


def test_a_yes_that_is_retracted_permits_nothing() -> None:
    consent = asking(Permission.ASK_EACH_TIME)
    question = consent.decide(FRIDGE, 0.0).question_id
    consent.answer(question, yes=True, now=0.0)
    consent.retract("another")
    consent.retract(question)
    assert consent.decide(FRIDGE, 1.0).outcome is ConsentOutcome.ASKED


def test_never_is_not_asked_about() -> None:
    consent = asking(Permission.NEVER)
    decision = consent.decide(FRIDGE, 0.0)
    assert (decision.outcome, decision.question_id) == (ConsentOutcome.REFUSED, "")
    with pytest.raises(NotPermitted, match="not permitted to open the fridge: default") as error:
        decision.permitted()
    assert (error.value.status, error.value.evidence) == (
        SkillStatus.BAD_REQUEST,
        {"refused": "default: never"},
    )


def test_a_question_is_told_with_its_id() -> None:
    decision = asking(Permission.ASK_ONCE).decide(FRIDGE, 0.0)
    with pytest.raises(ConsentNeeded, match=r"May I open the fridge\? Answer 'consent-s-1'") as error:
        decision.permitted()
    assert error.value.evidence[QUESTION] == "consent-s-1"
    assert error.value.evidence[STEP] == "open the fridge"


def test_the_base_is_never_sent_into_a_keep_out_zone() -> None:
    zone = NoGoZone(id="stairs", name="stairs", polygon=((0, 0), (2, 0), (2, 2), (0, 2)))
    consent = Consent(Policy(keep_out=(zone,), rules=(Rule(permit=Permission.ALWAYS),)), "s")
    decision = consent.decide(Subject(Verb.NAVIGATE, drives_to=(1.0, 1.0)), 0.0)
    assert (decision.outcome, decision.rule) == (ConsentOutcome.REFUSED, "keep_out stairs")
    assert (
        consent.decide(Subject(Verb.NAVIGATE, drives_to=(3.0, 1.0)), 0.0).outcome is ConsentOutcome.PERMITTED
    )


def test_open_questions_are_bounded() -> None:
    consent = asking(Permission.ASK_ONCE)
    first = consent.decide(FRIDGE, 0.0).question_id
    for number in range(OPEN_QUESTIONS):
        consent.decide(Subject(Verb.OPEN, shown=("", str(number), "")), 0.0)
    assert not consent.is_open(first)
    assert not consent.answer(first, yes=True, now=0.0)


@given(st.lists(st.tuples(st.sampled_from((FRIDGE, SAFE)), st.booleans(), st.booleans()), max_size=30))
def test_no_goal_is_permitted_more_often_than_the_operator_said_yes(
    steps: list[tuple[Subject, bool, bool]],
) -> None:
    consent, said, done = asking(Permission.ASK_EACH_TIME), 0, 0
    for now, (subject, answers, yes) in enumerate(steps):
        decision = consent.decide(subject, float(now))
        done += decision.outcome is ConsentOutcome.PERMITTED
        if decision.question_id and answers:
            said += consent.answer(decision.question_id, yes=yes, now=float(now)) and yes
    assert done <= said


@given(st.text(max_size=20))
def test_only_a_plain_yes_permits(text: str) -> None:
    assert not is_yes(f"no {text}")
    assert is_yes(" Yes. ")
