"""Only what lives is offered, and what changed is said with its reason."""

from dataclasses import replace

import pytest

from openral_core.detectors import DetectorInfo, Health, LifecycleState
from openral_core.geometry import Pose
from openral_core.rskills import Mode, Name, Vocabulary
from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_reasoner.palette.build import (
    CAMERAS,
    LABEL,
    LABELS_LENGTH_OF_ALL,
    DetectorState,
    GraphState,
    build_palette,
    changes,
    cut,
    first_cameras,
    first_labels,
    number,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.listing import listing
from openral_reasoner.tools.registry import schemas


def seen(
    name: str, mode: Mode, state: LifecycleState, *, alive: bool = True, default: bool = False
) -> DetectorState:
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
    return DetectorState(info, alive)


def two_locators(**changed: bool) -> ToolPalette:
    detectors = (
        seen("omdet", Mode.ON_DEMAND, LifecycleState.ACTIVE, default=True, alive=changed.get("alive", True)),
        seen("locateanything", Mode.ON_DEMAND, LifecycleState.INACTIVE),
        seen("stream", Mode.CONTINUOUS, LifecycleState.ACTIVE),
    )
    return build_palette(GraphState(detectors=detectors, memory_alive=True), ())


def names(palette: ToolPalette) -> list[str]:
    return [schema.name for schema in schemas(palette)]


def test_an_empty_graph_offers_nothing_that_needs_a_peer() -> None:
    assert names(ToolPalette()) == ["state_request", "emit_prompt", "ask_human", "done"]


@pytest.mark.parametrize(
    ("size", "height", "on_floor"),
    [((0.0, 0.0, 0.0), 0.0, True), ((0.0, 0.0, 0.0), 0.4, False), ((0.6, 2.6, 0.9), 0.45, False)],
)
def test_a_place_at_floor_height_without_a_size_has_no_surface(
    size: tuple[float, float, float], height: float, on_floor: bool
) -> None:
    node = SceneNode("middle", NodeKind.PLACE, "middle", Pose((1.0, 2.0, height)), size)
    palette = build_palette(GraphState(memory_alive=True, scene=SceneGraph((node,), ())), ())
    assert [place.on_floor for place in palette.places] == [on_floor]


def test_locators_and_cameras_are_listed_where_there_is_a_choice() -> None:
    listed = listing(two_locators())
    assert set(listed["cameras"]) == {"head", "wrist"}
    assert listed["locators"]["omdet"].startswith(" (default; 0.5 s")
    assert "must be loaded first" in listed["locators"]["locateanything"]
    assert all(line.endswith(f"): {name} finds things") for name, line in listed["locators"].items())
    assert "locators" not in listing(two_locators(alive=False))


def test_a_detector_whose_node_is_dead_is_not_offered() -> None:
    assert [each.id for each in two_locators(alive=False).locators] == ["locateanything"]


@pytest.mark.parametrize(
    "state", [LifecycleState.UNCONFIGURED, LifecycleState.FINALIZED, LifecycleState.UNKNOWN]
)
def test_a_detector_that_cannot_be_woken_is_not_offered(state: LifecycleState) -> None:
    graph = GraphState(detectors=(seen("omdet", Mode.ON_DEMAND, state),))
    assert not build_palette(graph, ()).detector_available


DEGRADED = {"health": Health.DEGRADED, "health_message": "its worker was lost too often"}


def blinded(detector: DetectorState) -> DetectorState:
    return replace(detector, info=replace(detector.info, **DEGRADED))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_blind_detector_is_not_offered_and_why_is_told(mode: Mode) -> None:
    sighted = seen("omdet", mode, LifecycleState.ACTIVE)
    before, after = (build_palette(GraphState(detectors=(d,)), ()) for d in (sighted, blinded(sighted)))
    assert before.detectors
    assert not after.detectors
    kind = "locator" if mode is Mode.ON_DEMAND else "continuous detector"
    assert changes(before, after)[0] == f"{kind} 'omdet' is blind: its worker was lost too often"
    assert changes(after, before)[0] == f"{kind} 'omdet' is now available"
    assert not any("node or service" in news for news in changes(before, after))


def test_a_detector_that_sleeps_is_not_blind_and_may_be_woken() -> None:
    asleep = blinded(seen("omdet", Mode.ON_DEMAND, LifecycleState.INACTIVE))
    palette = build_palette(GraphState(detectors=(asleep,)), ())
    assert palette.detector_available
    assert palette.degraded == ()


def test_the_default_can_be_chosen_by_parameter() -> None:
    detectors = tuple(seen(n, Mode.ON_DEMAND, LifecycleState.ACTIVE, default=n == "a") for n in ("a", "b"))
    chosen = build_palette(GraphState(detectors=detectors), (), "b-alias").default_locator
    assert chosen is not None
    assert chosen.id == "b"


def test_skills_need_a_manifest_a_verb_and_a_living_server(palette: ToolPalette) -> None:
    assert {skill.verb for skill in palette.skills} == set(Verb) - {Verb.EXPLORE}
    assert build_palette(GraphState(skill_server_alive=False, verbs=tuple(Verb)), ()).skills == ()


def test_what_changed_is_said_with_its_reason() -> None:
    before, after = two_locators(), two_locators(alive=False)
    assert changes(before, before) == ()
    assert changes(before, after) == ("locator 'omdet' is no longer available from its node or service",)
    assert changes(after, before) == ("locator 'omdet' is now available",)


def test_a_change_of_state_is_news() -> None:
    before = two_locators()
    awake = tuple(e.model_copy(update={"state": LifecycleState.ACTIVE}) for e in before.locators)
    news = changes(before, before.model_copy(update={"locators": awake}))
    assert news == ("locator 'locateanything' went from INACTIVE to ACTIVE",)


def telling(name: str, **told: object) -> DetectorState:
    """A continuous detector that says this of itself."""
    sighted = seen(name, Mode.CONTINUOUS, LifecycleState.ACTIVE)
    return replace(sighted, info=replace(sighted.info, **told))


def text_of(palette: ToolPalette) -> str:
    return "".join(s.description + s.parameters for s in schemas(palette)) + str(listing(palette))


HUGE = tuple(f"label number {n}" for n in range(3000))


@pytest.mark.parametrize(
    "told",
    [
        {"labels": HUGE},
        {"labels": tuple("x" * 10_000 for _ in range(50))},
        {"description": "obey " * 100_000},
        {"cameras": tuple(f"camera_{n}" for n in range(50_000))},
        {"mode": Mode.ON_DEMAND, "description": "obey " * 100_000},
        {"mode": Mode.ON_DEMAND, "cameras": ("c" * 1_000_000,)},
        {"mode": Mode.ON_DEMAND, "health": Health.RESTARTING, "health_message": "w" * 1_000_000},
        {"health": Health.DEGRADED, "health_message": "w" * 1_000_000},
    ],
)
@pytest.mark.parametrize("count", [1, 200])
def test_what_detectors_say_of_themselves_is_bounded(told: dict[str, object], count: int) -> None:
    """One, and two hundred of them: neither the tools nor the palette grow beyond what a prompt takes."""
    detectors = tuple(telling(f"d{n}", **told) for n in range(count))
    palette = build_palette(GraphState(detectors=detectors), ())
    assert len(text_of(palette)) < (20_000 if count == 1 else 60_000)
    assert len(palette.model_dump_json()) < 100_000


def test_labels_that_are_left_out_are_counted() -> None:
    palette = build_palette(GraphState(detectors=(telling("d", labels=HUGE),)), ())
    (entry,) = palette.continuous_detectors
    assert entry.labels == HUGE[: len(entry.labels)]
    assert len(entry.labels) + entry.labels_left_out == len(HUGE)


def test_the_largest_shipped_vocabulary_is_shown_whole() -> None:
    labels = tuple(f"indoor thing {n}" for n in range(266))
    (entry,) = build_palette(GraphState(detectors=(telling("d", labels=labels),)), ()).continuous_detectors
    assert (entry.labels, entry.labels_left_out) == (labels, 0)


def test_one_detector_cannot_take_the_room_of_the_others() -> None:
    detectors = (*(telling(f"a{n}", labels=HUGE) for n in range(10)), telling("z", labels=("bread", "mug")))
    shown = {e.id: e.labels for e in build_palette(GraphState(detectors=detectors), ()).continuous_detectors}
    assert shown["z"] == ("bread", "mug")


def test_detectors_beyond_the_bound_are_counted_and_the_default_is_none_of_them() -> None:
    crowd = tuple(seen(f"a{n:03}", Mode.ON_DEMAND, LifecycleState.ACTIVE) for n in range(100))
    true = seen("z", Mode.ON_DEMAND, LifecycleState.ACTIVE)
    palette = build_palette(GraphState(detectors=(*crowd, true)), (), "z")
    assert palette.locators[0].id == "z"
    assert palette.unlisted == 101 - len(palette.locators) > 0
    news = f"{palette.unlisted} detectors in the graph are not listed because the list is full"
    assert news in changes(ToolPalette(), palette)


@pytest.mark.parametrize("told", [float("nan"), float("inf"), -1.0])
def test_measures_that_are_none_are_unknown(told: float) -> None:
    figures = {"latency": told, "memory_measured": told, "memory_declared": told, "memory_resident": told}
    detectors = (telling("d", **figures), telling("l", mode=Mode.ON_DEMAND, **figures))
    palette = build_palette(GraphState(detectors=detectors), ())
    assert [each.memory for each in palette.detectors] == [0.0, 0.0]
    assert palette.locators[0].latency == 0.0
    assert not any(word in text_of(palette) for word in ("NaN", "Infinity"))


def two_defaults(chosen: str = "", *, alive: bool = True) -> ToolPalette:
    detectors = (
        seen("aaa-stranger", Mode.ON_DEMAND, LifecycleState.ACTIVE, default=True),
        seen("true-locator", Mode.ON_DEMAND, LifecycleState.ACTIVE, default=True, alive=alive),
    )
    return build_palette(GraphState(detectors=detectors), (), chosen)


def test_a_stranger_that_calls_itself_default_never_comes_before_the_deployments() -> None:
    palette = two_defaults("true-locator")
    assert [(each.id, each.is_default) for each in palette.locators] == [
        ("true-locator", True),
        ("aaa-stranger", False),
    ]
    assert palette.rivals == ("aaa-stranger",)
    told = "locator 'aaa-stranger' also claims to be the default: 'true-locator' is asked first"
    assert told in changes(ToolPalette(), palette)


def test_two_that_call_themselves_default_are_told() -> None:
    palette = two_defaults()
    told = "locator 'true-locator' also claims to be the default: 'aaa-stranger' is asked first"
    assert told in changes(ToolPalette(), palette)
    assert palette.locators[1].is_default is False


def test_while_the_deployments_default_is_away_nobody_takes_its_mark() -> None:
    palette = two_defaults("true-locator", alive=False)
    assert [(each.id, each.is_default) for each in palette.locators] == [("aaa-stranger", False)]
    assert palette.configured_default_locator == "true-locator"


def test_a_long_text_states_how_much_was_left_out() -> None:
    assert cut("abcdef", 4) == "abcd... (2 characters left out)"
    assert cut("abcd", 4) == "abcd"


@pytest.mark.parametrize("sharing", [1, 3, 24])
def test_detectors_that_share_the_bound_stay_within_it_together(sharing: int) -> None:
    labels = tuple(f"label number {n}" for n in range(5000))
    shown = first_labels(labels, sharing)
    assert shown == labels[: len(shown)]
    assert 0 < sharing * sum(map(len, shown)) <= LABELS_LENGTH_OF_ALL


def test_names_that_are_too_long_are_skipped() -> None:
    assert first_labels(("x" * (LABEL + 1), "mug"), 1) == ("mug",)
    assert first_cameras(["c" * (LABEL + 1), *(f"c{n}" for n in range(99))]) == tuple(
        f"c{n}" for n in range(CAMERAS)
    )


@pytest.mark.parametrize(
    ("reported", "known"), [(2.5, 2.5), (-1.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0)]
)
def test_a_number_that_is_no_measure_is_unknown(reported: float, known: float) -> None:
    assert number(reported) == known


def test_furniture_has_its_size_to_the_centimetre_and_a_room_has_none() -> None:
    shelf = SceneNode("shelf_1", NodeKind.PLACE, "shelf", Pose((0.0, 0.0, 0.8)), size=(0.3412, 1.0, 1.6))
    room = SceneNode("study", NodeKind.ROOM, "study", Pose((0.0, 0.0, 0.0)), size=(4.0, 3.0, 0.0))
    sizes = {
        place.id: place.size
        for place in build_palette(GraphState(memory_alive=True, scene=SceneGraph((shelf, room))), ()).places
    }
    assert sizes == {"shelf_1": (0.34, 1.0, 1.6), "study": (0.0, 0.0, 0.0)}
