"""A home with a counter, a table, a fridge and a cabinet; the robot stands at the counter's side."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from openral_core.detectors import DetectorInfo, LifecycleState
from openral_core.rskills import Mode, Name, ParameterSpec, ParameterType, SkillManifest, Vocabulary
from openral_core.skills import Verb
from openral_reasoner.events import PromptReceived
from openral_reasoner.mission import Mission
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

if TYPE_CHECKING:
    from missions_by_endpoint import Robot


def detector(name: str, mode: Mode, *, default: bool = False, alive: bool = True) -> DetectorState:
    info = DetectorInfo(
        name=Name(name, (f"{name}-alias",)),
        mode=mode,
        engine="sim_groundtruth",
        vocabulary=Vocabulary.OPEN if mode is Mode.ON_DEMAND else Vocabulary.CLOSED,
        description=f"what {name} is good at",
        labels=("bread", "mug") if mode is Mode.CONTINUOUS else (),
        cameras=("head", "wrist"),
        licence="Apache-2.0",
        commercial_use=True,
        memory_declared=80.0,
        latency=0.02,
        is_default=default,
        state=LifecycleState.ACTIVE,
    )
    return DetectorState(info, alive)


def manifest(verb: Verb, *names: str) -> SkillManifest:
    poses = tuple(ParameterSpec(name=n, type=ParameterType.POSE, description="in map") for n in names)
    label = ParameterSpec(name="label", type=ParameterType.STRING, description="what", required=False)
    on = (ParameterSpec(name="on", type=ParameterType.BOOL, description="on or off"),)
    return SkillManifest(
        kind="skill",
        id=verb.value.lower().replace("_", "-"),
        description=f"{verb.value} something",
        verb=verb,
        parameters=(*poses, label, *(on if verb is Verb.SWITCH else ())),
        deadline=60.0,
    )


SKILLS = tuple(
    manifest(v, "goal" if v is Verb.NAVIGATE else "agent" if v is Verb.HANDOVER else "target") for v in Verb
)


@pytest.fixture
def home() -> SymbolicHome:
    places = [
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0, aliases=("counter",)),
        HomePlace("table_1", "dining table", "living_room", 6.0, 0.0, aliases=("table",)),
        HomePlace("fridge_1", "fridge", "kitchen", 2.0, 4.0, occludes=True),
        HomePlace("cabinet_1", "cabinet", "kitchen", 4.0, 4.0, occludes=True),
        HomePlace("shelf_1", "shelf", "living_room", 8.0, 4.0),
    ]
    objects = [
        HomeObject("bread_1", "baguette", "table_1", "bread", ("baguette",)),
        HomeObject("mug_1", "red mug", "table_1", "mug"),
        HomeObject("wine_1", "wine bottle", "fridge_1", "wine", synonyms=("wine",)),
        HomeObject("glass_1", "wine glass", "cabinet_1"),
        HomeObject("milk_1", "milk", "fridge_1"),
    ]
    return SymbolicHome(
        places={p.id: p for p in places},
        objects={o.id: o for o in objects},
        rooms={"kitchen": "kitchen", "living_room": "living room"},
        agents={"ana": HomePlace("ana", "Ana", "living_room", 9.0, -2.0)},
    )


@pytest.fixture
def palette(home: SymbolicHome) -> ToolPalette:
    graph = GraphState(
        detectors=(
            detector("sim-locator", Mode.ON_DEMAND, default=True),
            detector("other-locator", Mode.ON_DEMAND),
            detector("sim-stream", Mode.CONTINUOUS),
        ),
        memory_alive=True,
        skill_server_alive=True,
        verbs=tuple(verb for verb in Verb if verb is not Verb.EXPLORE),
        scene=home.graph(),
        peers=("sim-locator",),
    )
    return build_palette(graph, SKILLS)


@pytest.fixture
def settings() -> MissionSettings:
    return MissionSettings(default_requester="ana")


@pytest.fixture
def mission(palette: ToolPalette, settings: MissionSettings) -> Mission:
    """A mission that has just started."""
    made = Mission("m1", PromptReceived(id="p1", text="bring me the mug"), settings, palette)
    made.request = read_sentence(made.goal)
    return made


@pytest.fixture(params=["anthropic", "openai"])
def robot(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
) -> "Iterator[Robot]":
    """A robot with either vendor's SDK before an endpoint that behaves as the test says."""
    pytest.importorskip("anthropic")
    pytest.importorskip("openai")
    from loopback import Api, endpoint, without_proxies
    from missions_by_endpoint import Robot

    without_proxies(monkeypatch)
    with endpoint() as (url, script):
        yield Robot(Api(request.param), url, script, home, palette, settings)
