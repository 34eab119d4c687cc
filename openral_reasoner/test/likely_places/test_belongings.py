"""Places where the objects of a home belong."""

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.likely_places.belief import belongings
from openral_reasoner.likely_places.prior import Site

SITES = {
    "fridge": Site(("fridge",), "kitchen"),
    "cabinet": Site(("cabinet",), "kitchen"),
    "table": Site(("dining table",), "kitchen"),
    "sofa": Site(("sofa",), "living room"),
    "bin": Site(("trash can",), "kitchen"),
}


def graph(**places: str) -> SceneGraph:
    nodes = [SceneNode(each, NodeKind.PLACE, SITES[each].names[0], Pose((0.0, 0.0, 0.0))) for each in SITES]
    nodes += [
        SceneNode(label, NodeKind.OBJECT, label.replace("_", " "), Pose((0.0, 0.0, 1.0))) for label in places
    ]
    edges = (SceneEdge(label, Relation.AT_PLACE, place) for label, place in places.items() if place)
    return SceneGraph(tuple(nodes), tuple(edges))


def misplaced(scene: SceneGraph) -> dict[str, str]:
    return {b.node.id: b.belongs_at[0] for b in belongings(scene, SITES) if b.misplaced}


def test_objects_out_of_place_have_a_place_where_they_belong() -> None:
    scene = graph(milk="sofa", plate="cabinet", rotten_apple="table", used_plastic_cup="table")
    assert misplaced(scene) == {"milk": "fridge", "rotten_apple": "bin", "used_plastic_cup": "bin"}


def test_an_object_on_the_floor_is_out_of_place() -> None:
    assert misplaced(graph(milk="")) == {"milk": "fridge"}


def test_nothing_is_known_of_an_unknown_object() -> None:
    (found,) = belongings(graph(frobnicator="sofa"), SITES)
    assert not found.misplaced
    assert found.belongs_at == ()


def test_objects_that_lie_about_do_not_make_their_place_right() -> None:
    milk = {f"milk_{number}": "sofa" for number in range(5)}
    assert set(misplaced(graph(**milk, milk="sofa"))) == {*milk, "milk"}


def test_an_object_at_a_usual_place_stays_there_although_it_is_kept_elsewhere_more_often() -> None:
    sites = SITES | {
        "counter": Site(("kitchen counter",), "kitchen"),
        "desk": Site(("desk",), "study"),
        **{f"bed_{n}": Site(("bed",), "bedroom") for n in range(6)},
    }
    nodes = [
        SceneNode(each, NodeKind.PLACE, site.names[0], Pose((0.0, 0.0, 0.0))) for each, site in sites.items()
    ]
    mugs = [
        SceneNode(f"mug_{place}", NodeKind.OBJECT, "mug", Pose((0.0, 0.0, 1.0)))
        for place in ("counter", "desk")
    ]
    edges = tuple(SceneEdge(mug.id, Relation.AT_PLACE, mug.id.removeprefix("mug_")) for mug in mugs)
    on_counter, on_desk = belongings(SceneGraph((*nodes, *mugs), edges), sites)
    assert on_counter.belongs_at == on_desk.belongs_at == ("cabinet",)
    assert not on_counter.misplaced
    assert on_desk.misplaced
