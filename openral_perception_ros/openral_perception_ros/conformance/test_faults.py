"""The detector's own worker, with its model loaded, failing in every way a model can."""

import pytest

from openral_perception_ros.conformance.injected_engine import PREFIX
from openral_perception_ros.conformance.scenes import resized
from openral_perception_ros.conformance.subject import LOAD, LOOK, Subject
from openral_perception_ros.looks import DetectorFailed, DetectorOutOfMemory, LookOutcome, Seen
from openral_perception_ros.supervision import EventKind, Phase


def _fail(fragile: Subject, fault: str) -> LookOutcome:
    return fragile.outcome(fragile.picture(camera=f"{PREFIX}{fault}"), fragile.words)


def _comes_back(fragile: Subject, lost: int) -> None:
    """Its supervision says so, another process answers."""
    assert fragile.events.get(timeout=10.0).kind is EventKind.WORKER_LOST
    assert fragile.events.get(timeout=LOAD).kind is EventKind.WORKER_RESTORED
    fragile.look(fragile.picture(), fragile.words)
    assert fragile.worker.pid != lost


def test_a_worker_killed_in_mid_inference_is_an_error_and_comes_back(fragile: Subject) -> None:
    """SIGKILL while it looks; whoever asked is told."""
    worker, vitals = fragile.worker, fragile.supervised.vitals
    asked = fragile.begin(fragile.picture(camera=f"{PREFIX}hang"), fragile.words)
    while vitals.phase is not Phase.BUSY:
        assert not asked.done()
    worker.kill()
    outcome = asked.result(LOOK)
    assert isinstance(outcome, DetectorFailed)
    assert "SIGKILL" in str(outcome)
    _comes_back(fragile, worker.pid)


@pytest.mark.parametrize(("fault", "words"), [("hang", "within"), ("hoard", "SIGABRT")])
def test_a_model_that_hangs_or_dies_of_hunger_costs_the_worker_alone(
    fragile: Subject, fault: str, words: str
) -> None:
    """A hang is killed; a native library without memory aborts."""
    lost = fragile.worker.pid
    outcome = _fail(fragile, fault)
    assert isinstance(outcome, DetectorFailed)
    assert words in str(outcome)
    _comes_back(fragile, lost)


@pytest.mark.parametrize(
    ("fault", "refusal"),
    [
        ("allocate", DetectorOutOfMemory),
        ("refuse", DetectorOutOfMemory),
        ("nan", DetectorFailed),
        ("sure", DetectorFailed),
        ("break", DetectorFailed),
    ],
)
def test_a_bad_answer_is_typed_and_the_worker_serves_on(
    fragile: Subject, fault: str, refusal: type[LookOutcome]
) -> None:
    """Broken is not the same as empty, and nobody has to load the model again."""
    before = fragile.worker.pid
    assert isinstance(_fail(fragile, fault), refusal)
    fragile.look(fragile.picture(), fragile.words)
    assert fragile.worker.pid == before


@pytest.mark.parametrize("lie", ["stammer", "boast", "trail off", "babble", "interrupt"])
def test_a_worker_that_breaks_the_protocol_is_lost_and_comes_back(fragile: Subject, lie: str) -> None:
    """Half an answer, one of 2 GB, one that is no msgpack, two at once: supervision goes on."""
    lost = fragile.worker.pid
    assert isinstance(_fail(fragile, lie), DetectorFailed)
    _comes_back(fragile, lost)


@pytest.mark.parametrize("trick", ["shrink", "inflate"])
def test_a_worker_cannot_take_the_shared_memory_away(fragile: Subject, trick: str) -> None:
    """Larger pictures follow, which the node writes into it."""
    before = fragile.worker.pid
    _fail(fragile, trick)
    fragile.look(resized(fragile.picture(), (2000, 1500)), fragile.words)
    assert fragile.worker.pid == before


def test_boxes_outside_the_image_are_cut_or_dropped(fragile: Subject) -> None:
    """One reaches in, one lies wholly outside."""
    outcome = _fail(fragile, "outside")
    assert isinstance(outcome, Seen)
    (box,) = (each.box for each in outcome.detections)
    assert (box.x_min, box.y_min, box.x_max, box.y_max) == (0.0, 0.0, 30.0, 20.0)
