"""Ablations: each part can be left out, and leaving it out makes the difference it names."""

import json

from openral_eval.ablations import without
from openral_eval.choices import CorePart
from openral_eval.suites.registry import SUITES
from openral_eval.suites.tasks import SuiteOptions, TaskVerdict
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings

NOTHING = frozenset[CorePart]()


def search(parts: frozenset[CorePart], seed: int) -> TaskVerdict:
    task = SUITES["search"].tasks(SuiteOptions(seed=seed, limit=1))[0]
    return SUITES["search"].run(task, SuiteOptions(), *without(parts, ScriptedModel(), MissionSettings()))


def test_hints_never_reach_the_core() -> None:
    def hinting(context: Context) -> Decision:
        arguments = {"query": "mug", "likely_places": ["shelf"]}
        return Decision(calls=(RawCall(tool="recall_object", arguments=json.dumps(arguments)),))

    context = object()
    model, _ = without(frozenset({CorePart.HINTS}), hinting, MissionSettings())
    assert json.loads(model(context).calls[0].arguments) == {"query": "mug"}
    kept, _ = without(NOTHING, hinting, MissionSettings())
    assert "likely_places" in json.loads(kept(context).calls[0].arguments)


def test_an_unreadable_call_stays_as_it_is() -> None:
    broken = Decision(calls=(RawCall(tool="recall_object", arguments='{"likely_places": '),))
    model, _ = without(frozenset({CorePart.HINTS}), lambda context: broken, MissionSettings())
    assert model(object()) == broken


def test_without_priors_searches_are_longer() -> None:
    seeds = range(12)
    known = sum(search(NOTHING, seed).steps for seed in seeds)
    blind = sum(search(frozenset({CorePart.PRIORS}), seed).steps for seed in seeds)
    assert known < blind


def test_without_the_policy_a_miss_of_memory_is_not_followed_by_a_look() -> None:
    looked: list[str] = []

    def model(context: Context) -> Decision:
        if context.turns:
            looked.append(context.turns[0].reply.text)
            call = RawCall(tool="done", arguments='{"success": false, "message": "enough"}')
        else:
            call = RawCall(tool="recall_object", arguments='{"query": "keys"}')
        return Decision(calls=(call,))

    task = next(t for t in SUITES["household"].tasks(SuiteOptions(limit=12)) if t.category == "find")
    for parts in (NOTHING, frozenset({CorePart.POLICY})):
        SUITES["household"].run(task, SuiteOptions(), *without(parts, model, MissionSettings()))
    assert "a locator evaluated the current view" in looked[0]
    assert "no locator was asked" in looked[-1]
