"""Two memories of one home: what agrees, and what is said about the rest."""

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Presence, Relation, SceneEdge, SceneGraph, SceneNode
from openral_core.text import Thesaurus
from openral_training.perceive.comparison import MemoryDifference, compare

TABLE = SceneNode("table", NodeKind.PLACE, "dining table", Pose((0.0, 0.0, 0.4)), source="map")
THESAURUS = Thesaurus.load()


def thing(node_id: str, label: str, x: float, presence: Presence = Presence.PRESENT) -> SceneNode:
    return SceneNode(node_id, NodeKind.OBJECT, label, Pose((x, 0.0, 0.8)), presence=presence)


def memory(*things: SceneNode) -> SceneGraph:
    edges = tuple(SceneEdge(each.id, Relation.ON, TABLE.id) for each in things)
    return SceneGraph((TABLE, *things), edges)


def outcomes(
    before: SceneGraph, after: SceneGraph, tolerance: float = 0.05
) -> list[tuple[str, MemoryDifference]]:
    found = compare(before, after, tolerance, THESAURUS)
    return [((each.before or each.after).label, each.outcome) for each in found]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (thing("b", "mug", 1.04), MemoryDifference.SAME),
        (thing("b", "lemon", 1.04), MemoryDifference.RELABELLED),
        (thing("b", "mug", 1.30), MemoryDifference.MOVED),
        (thing("b", "mug", 1.00, Presence.STALE), MemoryDifference.PRESENCE),
    ],
)
def test_one_object_is_compared_with_its_counterpart(after: SceneNode, outcome: MemoryDifference) -> None:
    (found,) = compare(memory(thing("a", "mug", 1.0)), memory(after), 0.05, THESAURUS)
    assert found.outcome is outcome
    assert found.apart == pytest.approx(abs(after.pose.position[0] - 1.0))
    assert found.before_place == "on dining table"


def test_objects_without_a_counterpart_are_missing_or_new() -> None:
    found = outcomes(memory(thing("a", "mug", 1.0)), memory(thing("a", "sofa", 3.0)))
    assert found == [("mug", MemoryDifference.MISSING), ("sofa", MemoryDifference.NEW)]


def test_of_two_mugs_the_nearer_ones_are_one_object() -> None:
    before = memory(thing("a", "mug", 1.0), thing("b", "mug", 2.0))
    after = memory(thing("x", "mug", 2.01))
    assert outcomes(before, after) == [("mug", MemoryDifference.MISSING), ("mug", MemoryDifference.SAME)]
    missing = compare(before, after, 0.05, THESAURUS)[0]
    assert missing.before is not None
    assert missing.before.id == "a"


def test_what_is_gone_is_not_compared() -> None:
    before = memory(thing("a", "mug", 1.0, Presence.GONE))
    assert outcomes(before, memory()) == []


def test_a_document_has_positions_and_the_distance_in_centimetres() -> None:
    (found,) = compare(memory(thing("a", "mug", 1.0)), memory(thing("b", "mug", 1.3)), 0.05, THESAURUS)
    content = found.document()
    assert content["apart_cm"] == 30.0
    assert content["outcome"] == "moved"
    assert content["before"] == {
        "id": "a",
        "label": "mug",
        "position": [1.0, 0.0, 0.8],
        "presence": "present",
        "place": "on dining table",
        "observations": 0,
    }
