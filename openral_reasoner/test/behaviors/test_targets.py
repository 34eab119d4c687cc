"""Objects known to a mission."""

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence, RecallMatch, ResolveResult, ResolveStatus
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.success.evidence import Node

AT, BEFORE = Pose.planar(1.0, 2.0, 0.0), Pose.planar(0.4, 2.0, 0.0)


def match(presence: Presence = Presence.PRESENT) -> RecallMatch:
    return RecallMatch(
        "mug_1",
        "mug",
        0.9,
        AT,
        (0.1, 0.1, 0.1),
        "same label",
        viewpoint=BEFORE,
        place="shelf_1",
        containers=("cabinet_1",),
        must_open="cabinet_1",
        presence=presence,
    )


@pytest.mark.parametrize("presence", list(Presence))
def test_only_an_object_that_is_present_is_not_stale(presence: Presence) -> None:
    assert KnownObject.remembered(match(presence), "mug").stale is (presence is not Presence.PRESENT)


def test_the_summary_for_the_model_holds_no_pose() -> None:
    summary = KnownObject.remembered(match(), "mug").found()
    assert (summary.id, summary.place, summary.must_open) == ("mug_1", "shelf_1", "cabinet_1")
    assert not {"pose", "standing", "size"} & set(summary.model_dump())


def test_evidence_records_the_place_and_the_containers() -> None:
    node = KnownObject.remembered(match(), "mug").node()
    assert node == Node("mug_1", "mug", "object", "", ("shelf_1", "cabinet_1"))


def test_an_opened_container_no_longer_hides_the_object() -> None:
    known_object = KnownObject.remembered(match(), "mug")
    assert known_object.opened().must_open == ""
    assert known_object.opened().containers == ("cabinet_1",)
    assert known_object.must_open == "cabinet_1"


def test_a_resolved_place_keeps_its_pose_and_the_base_pose_before_it() -> None:
    result = ResolveResult(ResolveStatus.FOUND, "", BEFORE, AT, "place", "table_1")
    table = KnownObject.resolved(result, "table")
    assert (table.id, table.label, table.kind) == ("table_1", "table", "place")
    assert (table.pose, table.standing) == (AT, BEFORE)
