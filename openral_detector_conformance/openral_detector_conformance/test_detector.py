"""What every detector must do, whoever made it."""
# MERGED The 13 encodings a camera may send, padded rows, compressed images, and what cannot be decoded.
# MERGED Pictures of the simulated home, of any shape.

import numpy as np
import pytest
from sensor_msgs.msg import CompressedImage, Image

from openral_core.detections import Detection
from openral_core.rskills import Sensor
from openral_detector_conformance.encodings import LOSSLESS, LOSSY, bomb, compressed, encoded, padded
from openral_detector_conformance.scenes import GOLDENS, SIZES, overlap, phrases, resized, true_boxes
from openral_detector_conformance.subject import OPEN_WORDS, DetectorUnderTest
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.image_subscriptions import decode_frame
from openral_perception_ros.locate.errors import DetectorFailed
from openral_perception_ros.locate.queue import DetectionResult


def test_it_loads_and_says_what_it_can_name(subject: DetectorUnderTest) -> None:
    """The worker's labels are the manifest's vocabulary."""
    assert subject.supervised.ready.result().labels == subject.detector.labels


def test_labels_are_its_vocabulary_or_the_words_asked(subject: DetectorUnderTest) -> None:
    """Nothing else reaches the graph."""
    allowed = set(subject.detector.labels or OPEN_WORDS)
    assert {each.label for each in subject.look(subject.picture(), subject.words)} <= allowed


def test_the_same_frame_gives_the_same_answer(subject: DetectorUnderTest) -> None:
    """Whatever was asked in between, and of whichever camera."""
    frame = subject.picture(stamp=7)
    first = subject.look(frame, subject.words)
    subject.look(subject.picture("dining_table", "wrist", 8), subject.words)
    assert subject.look(frame, subject.words) == first


def test_concurrent_prompts_never_mix(subject: DetectorUnderTest) -> None:
    """Each caller gets boxes of its own words alone."""
    if subject.words is None:
        pytest.skip("never prompted: its vocabulary is closed")
    asked = [(f"thing number {index}",) if index % 2 else ("red mug",) for index in range(20)]
    answers = [subject.begin(subject.picture(stamp=index), terms) for index, terms in enumerate(asked)]
    for terms, answer in zip(asked, answers, strict=True):
        outcome = answer.result(300.0)
        assert isinstance(outcome, DetectionResult)
        assert {each.label for each in outcome.detections} <= set(terms)


COLOUR_ERROR = 6.0
"""Mean over the picture of what a lossy colour encoding may change [of 255]."""
GREY = ("mono8", "8UC1", "mono16")


def _received(subject: DetectorUnderTest, message: Image | CompressedImage) -> EngineFrame:
    """The picture as the node decodes it; other planes as they are."""
    frame = subject.picture()
    planes = decode_frame(_shot(subject, message)).planes
    return EngineFrame({**frame.planes, **planes}, frame.camera, frame.stamp, frame.labels)


def _shot(subject: DetectorUnderTest, message: Image | CompressedImage) -> ImageSet:
    frame = subject.picture()
    return ImageSet(frame.camera, frame.stamp, "optical", 0.0, {Sensor.RGB.value: message})


def _rgb(subject: DetectorUnderTest) -> np.ndarray:
    return subject.picture().plane(Sensor.RGB).astype(np.uint8)


@pytest.fixture
def sees_colour(subject: DetectorUnderTest) -> None:
    """Skips what looks at no colour image."""
    if Sensor.RGB not in subject.detector.manifest.sensors:
        pytest.skip("its manifest asks for no colour image")


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("encoding", [*LOSSLESS, "padded rows", "png"])
def test_encodings_that_keep_every_pixel_change_nothing(subject: DetectorUnderTest, encoding: str) -> None:
    """The same boxes, whatever the camera sends."""
    rgb = _rgb(subject)
    others = {"padded rows": padded, "png": compressed}
    message = others[encoding](rgb) if encoding in others else encoded(rgb, encoding)
    frame = _received(subject, message)
    np.testing.assert_array_equal(frame.plane(Sensor.RGB), rgb)
    assert subject.look(frame, subject.words) == subject.look(subject.picture(), subject.words)


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("encoding", list(LOSSY))
def test_other_encodings_look_alike_and_are_looked_at(subject: DetectorUnderTest, encoding: str) -> None:
    """No channel is swapped and no half of the picture lost."""
    frame = _received(subject, encoded(_rgb(subject), encoding))
    seen, true = frame.plane(Sensor.RGB).astype(float), _rgb(subject).astype(float)
    if encoding in GREY:
        true = np.repeat(true @ [[0.299], [0.587], [0.114]], 3, axis=2)
    assert np.abs(seen - true).mean() < COLOUR_ERROR
    for each in subject.look(frame, subject.words):
        assert 0.0 <= each.box.x_min < each.box.x_max <= frame.size[0]


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("side", [40_000, 8_000, 10])
def test_a_picture_that_cannot_be_decoded_costs_one_answer(subject: DetectorUnderTest, side: int) -> None:
    """The next picture is looked at by the same worker."""
    before, shot = subject.worker.pid, _shot(subject, bomb(side))
    assert isinstance(subject.outcome_of(shot, subject.words), DetectorFailed)
    subject.look(subject.picture(), subject.words)
    assert subject.worker.pid == before


MATCH = 0.5
MOST_WORDS = 16


def _inside(found: tuple[Detection, ...], size: tuple[int, int]) -> bool:
    boxes = [each.box for each in found]
    return all(
        0.0 <= box.x_min < box.x_max <= size[0] and 0.0 <= box.y_min < box.y_max <= size[1] for box in boxes
    )


@pytest.mark.parametrize("size", SIZES)
def test_boxes_lie_inside_frames_of_any_shape(subject: DetectorUnderTest, size: tuple[int, int]) -> None:
    """In source pixels, also of frames that are not square."""
    assert _inside(subject.look(resized(subject.picture(), size), subject.words), size)


def test_it_finds_what_is_in_the_pictures(
    subject: DetectorUnderTest, measured: dict[str, object], min_recall: float | None
) -> None:
    """A box over half of each thing it can name; the share is told, and judged with --min-recall."""
    known = set(subject.detector.labels or phrases()[:MOST_WORDS])
    words = None if subject.detector.labels else phrases()[:MOST_WORDS]
    found, asked = 0, 0
    for name in GOLDENS:
        frame = subject.picture(name)
        seen = subject.look(frame, words)
        assert _inside(seen, frame.size)
        things = [(phrase, box) for phrase, box in true_boxes(name) if phrase in known]
        asked += len(things)
        found += sum(any(_matches(each, *thing) for each in seen) for thing in things)
    measured["things found in the pictures"] = f"{found} of {asked} that it can name"
    if not asked:
        pytest.skip("nothing in the pictures is in its vocabulary")
    if min_recall is None:
        pytest.skip(f"{found} of {asked} found; --min-recall says how many are enough")
    assert found >= min_recall * asked


def _matches(seen: Detection, phrase: str, box: tuple[float, float, float, float]) -> bool:
    mine = (seen.box.x_min, seen.box.y_min, seen.box.x_max, seen.box.y_max)
    return seen.label == phrase and overlap(mine, box) >= MATCH
