"""Only what lives is offered, and what changed is said with its reason."""

import json
from dataclasses import replace

import pytest

from openral_core.detectors import DetectorInfo, Health, LifecycleState, Mode, Vocabulary
from openral_core.names import Name
from openral_core.skills import Verb
from openral_reasoner.palettes import DetectorSeen, LiveGraph, ToolPalette, build_palette, changes
from openral_reasoner.tools import schemas


def seen(
    name: str, mode: Mode, state: LifecycleState, *, alive: bool = True, default: bool = False
) -> DetectorSeen:
    info = DetectorInfo(
        name=Name(name, (f"{name}-alias",)),
        mode=mode,
        engine="zeroshot_hf",
        vocabulary=Vocabulary.OPEN,
        description=f"{name} finds things",
        labels=("bread", "mug") if mode is Mode.CONTINUOUS else (),
        cameras=("head", "wrist"),
        licence="Apache-2.0",
        commercial_use=True,
        memory_declared=1.0,
        latency=0.5,
        is_default=default,
        state=state,
    )
    return DetectorSeen(info, alive)


def two_locators(**changed: bool) -> ToolPalette:
    detectors = (
        seen("omdet", Mode.ON_DEMAND, LifecycleState.ACTIVE, default=True, alive=changed.get("alive", True)),
        seen("locateanything", Mode.ON_DEMAND, LifecycleState.INACTIVE),
        seen("stream", Mode.CONTINUOUS, LifecycleState.ACTIVE),
    )
    return build_palette(LiveGraph(detectors=detectors, memory_alive=True), ())


def names(palette: ToolPalette) -> list[str]:
    return [schema.name for schema in schemas(palette)]


def test_an_empty_graph_offers_nothing_that_needs_a_peer() -> None:
    assert names(ToolPalette()) == ["emit_prompt", "ask_human", "done"]


def test_locate_words_list_every_locator_camera_and_the_rule() -> None:
    words = next(s.description for s in schemas(two_locators()) if s.name == "locate_in_view")
    for part in ("omdet", "locateanything", "finds things", "0.5", "head", "wrist", "Decision rule", "bread"):
        assert part in words
    listed = json.loads(words[words.index("<data>") + 6 : words.index("</data>")])
    assert {each["id"]: each["must_be_loaded_first"] for each in listed["locators"]} == {
        "omdet": False,
        "locateanything": True,
    }


def test_a_detector_whose_node_is_dead_is_not_offered() -> None:
    assert [each.id for each in two_locators(alive=False).locators] == ["locateanything"]


@pytest.mark.parametrize(
    "state", [LifecycleState.UNCONFIGURED, LifecycleState.FINALIZED, LifecycleState.UNKNOWN]
)
def test_a_detector_that_cannot_be_woken_is_not_offered(state: LifecycleState) -> None:
    graph = LiveGraph(detectors=(seen("omdet", Mode.ON_DEMAND, state),))
    assert not build_palette(graph, ()).detector_available


BLIND = {"health": Health.GIVEN_UP, "health_message": "its worker was lost too often"}


def blinded(detector: DetectorSeen) -> DetectorSeen:
    return replace(detector, info=replace(detector.info, **BLIND))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_blind_detector_is_not_offered_and_why_is_told(mode: Mode) -> None:
    sighted = seen("omdet", mode, LifecycleState.ACTIVE)
    before, after = (build_palette(LiveGraph(detectors=(d,)), ()) for d in (sighted, blinded(sighted)))
    assert before.detectors
    assert not after.detectors
    kind = "locator" if mode is Mode.ON_DEMAND else "continuous detector"
    assert changes(before, after)[0] == f"{kind} 'omdet' is blind: its worker was lost too often"
    assert changes(after, before)[0] == f"{kind} 'omdet' is there now"
    assert not any("node or service" in news for news in changes(before, after))


def test_a_detector_that_sleeps_is_not_blind_and_may_be_woken() -> None:
    asleep = blinded(seen("omdet", Mode.ON_DEMAND, LifecycleState.INACTIVE))
    palette = build_palette(LiveGraph(detectors=(asleep,)), ())
    assert palette.detector_available
    assert palette.blind == ()


def test_the_default_can_be_chosen_by_parameter() -> None:
    detectors = tuple(seen(n, Mode.ON_DEMAND, LifecycleState.ACTIVE, default=n == "a") for n in ("a", "b"))
    chosen = build_palette(LiveGraph(detectors=detectors), (), "b-alias").default_locator
    assert chosen is not None
    assert chosen.id == "b"


def test_skills_need_a_manifest_a_verb_and_a_living_server(palette: ToolPalette) -> None:
    assert {skill.verb for skill in palette.skills} == set(Verb)
    assert build_palette(LiveGraph(skill_server_alive=False, verbs=tuple(Verb)), ()).skills == ()


def test_what_changed_is_said_with_its_reason() -> None:
    before, after = two_locators(), two_locators(alive=False)
    assert changes(before, before) == ()
    assert changes(before, after) == ("locator 'omdet' is gone: its node or service no longer offers it",)
    assert changes(after, before) == ("locator 'omdet' is there now",)


def test_a_change_of_state_is_news() -> None:
    before = two_locators()
    awake = tuple(e.model_copy(update={"state": LifecycleState.ACTIVE}) for e in before.locators)
    news = changes(before, before.model_copy(update={"locators": awake}))
    assert news == ("locator 'locateanything' went from INACTIVE to ACTIVE",)
