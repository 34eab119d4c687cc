"""Detections of a trained detector: false ones, several boxes of one object, labels that swap."""

from pathlib import Path

import pytest

from openral_core.detectors import Detection
from openral_core.home_map import load_map
from openral_core.spatial_memory import RecallQuery, RecallStatus, ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_testing.synthetic_depth import Block, Cylinder, Plane, Solid, look_at_pose, render_depth
from openral_world_state.existence import EXISTENCE
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
THESAURUS = Thesaurus.load()
KITCHEN: dict[str, Solid] = {
    "cup": Cylinder((2.1, 4.1, 0.95), 0.04, 0.1, hollow=True),
    "_counter": Block((2.0, 4.19, 0.45), (2.6, 0.6, 0.9)),
    "_wall": Plane((0.0, 1.0, 0.0), 4.5),
}
EYES = "eyes"
NOW = 100.0


@pytest.fixture
def world() -> WorldModel:
    made = open_world(MAP, "", WorldModelSettings(), THESAURUS)
    made.vocabularies.set(EYES, ("mug", "bowl", "glass"))
    return made


def see(world: WorldModel, stamp: float, *labels: tuple[str, float], wider: float = 0.0) -> None:
    """Look from a place of its own; each label has a box, the next a little wider."""
    eye = (1.4 + 0.4 * (stamp % 4.0), 3.05, 1.35)
    shot = render_depth(KITCHEN, look_at_pose(eye, (2.1, 4.2, 0.9)), size=(320, 240), stamp=stamp)
    box = shot.boxes["cup"]
    boxes = [
        type(box)(box.x_min - wider * n, box.y_min, box.x_max + wider * n, box.y_max)
        for n in range(len(labels))
    ]
    found = [Detection(each, label, score) for each, (label, score) in zip(boxes, labels, strict=True)]
    world.integrate(shot.view, found, EYES)


def test_an_unconfirmed_detection_is_not_offered_and_fades(world: WorldModel) -> None:
    see(world, 1.0, ("mug", 0.3))
    (record,) = world.memory
    assert record.confidence == pytest.approx(0.3)
    answer = world.recall(RecallQuery("mug"), NOW)
    assert (answer.status, answer.matches, answer.near_misses) == (RecallStatus.NOT_IN_MEMORY, (), ())
    assert world.resolve(ResolveQuery("mug")).status is ResolveStatus.NOT_FOUND
    for stamp in (2.0, 3.0, 4.0, 6.0):
        see(world, stamp)
    assert not list(world.memory)


def test_what_no_later_view_confirms_is_dropped_after_a_minute_out_of_view(world: WorldModel) -> None:
    see(world, 1.0, ("mug", 0.3))
    (record,) = world.memory
    away = look_at_pose((1.4, 3.05, 1.35), (1.4, 2.0, 0.9))
    for stamp in (60.0, 62.0):
        shot = render_depth(KITCHEN, away, size=(320, 240), stamp=stamp)
        world.integrate(shot.view, [], EYES)
        assert (record.id in world.memory) is (stamp == 60.0)


def test_what_fewer_images_show_than_confirm_it_is_not_offered(world: WorldModel) -> None:
    for stamp in (1.0, 2.0):
        see(world, stamp, ("mug", 0.9))
        (record,) = world.memory
        assert record.confidence == pytest.approx(EXISTENCE.tentative_score)
        assert world.recall(RecallQuery("mug"), NOW).status is RecallStatus.NOT_IN_MEMORY
    see(world, 3.0, ("mug", 0.9))
    assert record.confidence > 0.9
    for stamp in (4.0, 5.0):
        see(world, stamp)
    assert world.recall(RecallQuery("mug"), NOW).status is RecallStatus.FOUND


def test_an_answer_is_not_doubted_because_the_continuous_detector_sees_nothing_there(
    world: WorldModel,
) -> None:
    eye = (1.4 + 0.4, 3.05, 1.35)
    shot = render_depth(KITCHEN, look_at_pose(eye, (2.1, 4.2, 0.9)), size=(320, 240), stamp=1.0)
    world.observe(shot.view, [Detection(shot.boxes["cup"], "mug", 0.6)], "locator")
    for stamp in (5.0, 9.0):
        see(world, stamp)
    assert world.recall(RecallQuery("mug"), NOW).status is RecallStatus.FOUND


def test_an_object_seen_from_three_places_stays(world: WorldModel) -> None:
    for stamp in (1.0, 2.0, 3.0):
        see(world, stamp, ("mug", 0.5))
    see(world, 4.0)
    assert world.recall(RecallQuery("mug"), NOW).status is RecallStatus.FOUND


def test_what_a_locator_was_asked_for_and_found_is_confirmed(world: WorldModel) -> None:
    shot = render_depth(KITCHEN, look_at_pose((2.0, 3.05, 1.35), (2.1, 4.2, 0.9)), stamp=1.0)
    world.observe(shot.view, [Detection(shot.boxes["cup"], "mug", 0.3)], "locator")
    assert world.recall(RecallQuery("mug"), NOW).status is RecallStatus.FOUND


@pytest.mark.parametrize("wider", [0.0, 3.0])
def test_boxes_of_two_labels_on_one_object_are_one_record(world: WorldModel, wider: float) -> None:
    for stamp in (1.0, 2.0, 3.0):
        see(world, stamp, ("mug", 0.7), ("glass", 0.4), ("mug", 0.35), wider=wider)
    (record,) = world.memory
    assert record.label == "mug"
    assert record.votes["mug"] > record.votes["glass"] > 0.0


def test_the_most_probable_label_is_recalled_and_the_second_scores_lower(world: WorldModel) -> None:
    for stamp, label in enumerate(("glass", "mug", "mug", "glass", "mug", "mug"), start=1):
        see(world, float(stamp), (label, 0.6))
    (record,) = world.memory
    assert record.label == "mug"
    (mug,) = world.recall(RecallQuery("mug"), NOW).matches
    (glass,) = world.recall(RecallQuery("glass"), NOW).matches
    assert glass.node_id == mug.node_id
    assert glass.score < 0.8 * mug.score
    assert "mug, also seen as glass" in glass.why


def test_a_label_is_forgotten_when_another_is_seen_for_long(world: WorldModel) -> None:
    for stamp in range(1, 3):
        see(world, float(stamp), ("glass", 0.9))
    for stamp in range(3, 14):
        see(world, float(stamp), ("mug", 0.9))
    (record,) = world.memory
    assert record.label == "mug"
    assert sum(record.votes.values()) <= 10.0 + 1e-9
    assert world.recall(RecallQuery("glass"), NOW).status is RecallStatus.NOT_IN_MEMORY


def test_what_the_gripper_held_exists_however_rarely_it_is_detected(world: WorldModel) -> None:
    for stamp in (1.0, 2.0, 3.0):
        see(world, stamp, ("mug", 0.5))
    (record,) = world.memory
    world.update_held_object("mug", record.pose, 4.0)
    world.update_held_object("", record.pose, 5.0)
    for stamp in range(6, 26):
        see(world, float(stamp))
    assert world.recall(RecallQuery("mug"), NOW).status is RecallStatus.FOUND
    assert list(world.memory) == [record]
