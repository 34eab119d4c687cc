"""A symbolic kitchen for the examples without ROS: places, objects, and the palette that a model is given."""

from openral_core.detectors import DetectorInfo, LifecycleState
from openral_core.rskills import Mode, Name, ParameterSpec, ParameterType, SkillManifest, Vocabulary
from openral_core.skills import Verb
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

LOCATOR = DetectorInfo(
    name=Name("locator"),
    mode=Mode.ON_DEMAND,
    engine="symbolic",
    vocabulary=Vocabulary.OPEN,
    description="Finds any object.",
    labels=(),
    cameras=("head",),
    licence="Apache-2.0",
    commercial_use=True,
    memory_declared=10.0,
    latency=0.1,
    is_default=True,
    state=LifecycleState.ACTIVE,
)
POSES = {Verb.NAVIGATE: "goal", Verb.HANDOVER: "agent"}
SKILLS = tuple(
    SkillManifest(
        kind="skill",
        id=verb.value.lower().replace("_", "-"),
        description=f"{verb.value} something",
        verb=verb,
        parameters=(
            ParameterSpec(name=POSES.get(verb, "target"), type=ParameterType.POSE, description="in map"),
        ),
        deadline=60.0,
    )
    for verb in Verb
)


def kitchen() -> SymbolicHome:
    """Return a counter, a table and a fridge; memory knows the mug and the bread."""
    places = [
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0),
        HomePlace("table_1", "table", "kitchen", 5.0, 0.0),
        HomePlace("fridge_1", "fridge", "kitchen", 2.0, 4.0, occludes=True),
    ]
    objects = [
        HomeObject("mug_1", "mug", "table_1", "mug"),
        HomeObject("bread_1", "bread", "counter_1", "bread"),
        HomeObject("milk_1", "milk", "fridge_1"),
    ]
    return SymbolicHome(
        places={place.id: place for place in places},
        objects={item.id: item for item in objects},
        rooms={"kitchen": "kitchen"},
        agents={"ana": HomePlace("ana", "Ana", "kitchen", 6.0, 2.0)},
    )


def palette_of(home: SymbolicHome) -> ToolPalette:
    """Return the palette of a graph with one locator, memory and every skill."""
    graph = GraphState(
        detectors=(DetectorState(LOCATOR, alive=True),),
        memory_alive=True,
        skill_server_alive=True,
        verbs=tuple(Verb),
        scene=home.graph(),
        peers=("locator",),
    )
    return build_palette(graph, SKILLS)
