"""Requirements on every detector: vocabulary, determinism, image encodings, frame sizes and recall."""

import numpy as np
import pytest
from sensor_msgs.msg import CompressedImage, Image

from openral_core.detectors import Box, Detection
from openral_core.rskills import Sensor
from openral_perception_ros.camera_images import ImageSet, decode_frame
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.locate_errors import DetectorError
from openral_perception_ros.scheduler import DetectionResult
from openral_testing.detectors.encodings import LOSSLESS, LOSSY, bomb, compressed, encoded, padded
from openral_testing.detectors.scenes import GOLDENS, SIZES, phrases, resized, true_boxes
from openral_testing.detectors.subject import OPEN_TERMS, DetectorUnderTest


def test_it_loads_and_says_what_it_can_name(subject: DetectorUnderTest) -> None:
    """The worker's labels are the manifest's vocabulary."""
    assert subject.supervised.ready.result().labels == subject.detector.labels


def test_labels_are_its_vocabulary_or_the_words_asked(subject: DetectorUnderTest) -> None:
    """No other label reaches the graph."""
    allowed = set(subject.detector.labels or OPEN_TERMS)
    assert {item.label for item in subject.detect(subject.image(), subject.terms)} <= allowed


def test_the_same_frame_gives_the_same_answer(subject: DetectorUnderTest) -> None:
    """Requests in between, also on another camera, have no influence."""
    frame = subject.image(stamp=7)
    first = subject.detect(frame, subject.terms)
    subject.detect(subject.image("dining_table", "wrist", 8), subject.terms)
    assert subject.detect(frame, subject.terms) == first


def test_concurrent_prompts_never_mix(subject: DetectorUnderTest) -> None:
    """Each caller gets only boxes of its own terms."""
    if subject.terms is None:
        pytest.skip("its vocabulary is closed")
    asked = [(f"object number {index}",) if index % 2 else ("red mug",) for index in range(20)]
    answers = [subject.begin(subject.image(stamp=index), terms) for index, terms in enumerate(asked)]
    for terms, answer in zip(asked, answers, strict=True):
        outcome = answer.result(300.0)
        assert isinstance(outcome, DetectionResult)
        assert {detection.label for detection in outcome.detections} <= set(terms)


COLOUR_ERROR = 6.0
"""Largest mean error of a lossy encoding [levels of 255]."""
GREY = ("mono8", "8UC1", "mono16")


def _received(subject: DetectorUnderTest, message: Image | CompressedImage) -> EngineFrame:
    """Return the image as the node decodes it, with the other planes unchanged."""
    frame = subject.image()
    planes = decode_frame(_image_set(subject, message)).planes
    return EngineFrame({**frame.planes, **planes}, frame.camera, frame.stamp, frame.instance_names)


def _image_set(subject: DetectorUnderTest, message: Image | CompressedImage) -> ImageSet:
    frame = subject.image()
    return ImageSet(frame.camera, frame.stamp, "optical", 0.0, {Sensor.RGB.value: message})


def _rgb(subject: DetectorUnderTest) -> np.ndarray:
    return subject.image().plane(Sensor.RGB).astype(np.uint8)


@pytest.fixture
def sees_colour(subject: DetectorUnderTest) -> None:
    """Skip detectors that use no colour image."""
    if Sensor.RGB not in subject.detector.manifest.sensors:
        pytest.skip("its manifest requires no colour image")


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("encoding", [*LOSSLESS, "padded rows", "png"])
def test_encodings_that_keep_every_pixel_change_nothing(subject: DetectorUnderTest, encoding: str) -> None:
    """Lossless encodings give identical boxes."""
    rgb = _rgb(subject)
    others = {"padded rows": padded, "png": compressed}
    message = others[encoding](rgb) if encoding in others else encoded(rgb, encoding)
    frame = _received(subject, message)
    np.testing.assert_array_equal(frame.plane(Sensor.RGB), rgb)
    assert subject.detect(frame, subject.terms) == subject.detect(subject.image(), subject.terms)


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("encoding", list(LOSSY))
def test_other_encodings_look_alike_and_are_looked_at(subject: DetectorUnderTest, encoding: str) -> None:
    """No channel is swapped and no part of the image lost."""
    frame = _received(subject, encoded(_rgb(subject), encoding))
    seen, true = frame.plane(Sensor.RGB).astype(float), _rgb(subject).astype(float)
    if encoding in GREY:
        true = np.repeat(true @ [[0.299], [0.587], [0.114]], 3, axis=2)
    assert np.abs(seen - true).mean() < COLOUR_ERROR
    for item in subject.detect(frame, subject.terms):
        assert 0.0 <= item.box.x_min < item.box.x_max <= frame.size[0]


@pytest.mark.usefixtures("sees_colour")
@pytest.mark.parametrize("side", [40_000, 8_000, 10])
def test_a_picture_that_cannot_be_decoded_costs_one_answer(subject: DetectorUnderTest, side: int) -> None:
    """The same worker handles the next image."""
    before, image_set = subject.worker.pid, _image_set(subject, bomb(side))
    assert isinstance(subject.outcome_of(image_set, subject.terms), DetectorError)
    subject.detect(subject.image(), subject.terms)
    assert subject.worker.pid == before


MIN_OVERLAP = 0.5
"""Intersection over union from which a box counts as a match, as in PASCAL VOC."""
MAX_TERMS = 16
"""Terms of one request [count]."""


def _inside(found: tuple[Detection, ...], size: tuple[int, int]) -> bool:
    boxes = [item.box for item in found]
    return all(
        0.0 <= box.x_min < box.x_max <= size[0] and 0.0 <= box.y_min < box.y_max <= size[1] for box in boxes
    )


@pytest.mark.parametrize("size", SIZES)
def test_boxes_lie_inside_frames_of_any_shape(subject: DetectorUnderTest, size: tuple[int, int]) -> None:
    """In source pixels, also of frames that are not square."""
    assert _inside(subject.detect(resized(subject.image(), size), subject.terms), size)


def test_it_finds_what_is_in_the_pictures(
    subject: DetectorUnderTest, measured: dict[str, object], min_recall: float | None
) -> None:
    """Recall over all objects it can name; reported, and judged with --openral-min-recall."""
    known = set(subject.detector.labels or phrases()[:MAX_TERMS])
    words = None if subject.detector.labels else phrases()[:MAX_TERMS]
    found, asked = 0, 0
    for name in GOLDENS:
        frame = subject.image(name)
        seen = subject.detect(frame, words)
        assert _inside(seen, frame.size)
        objects = [(phrase, box) for phrase, box in true_boxes(name) if phrase in known]
        asked += len(objects)
        found += sum(any(_matches(item, *target) for item in seen) for target in objects)
    measured["objects found in the images"] = f"{found} of {asked} that it can name"
    if not asked:
        pytest.skip("no object of the images is in its vocabulary")
    if min_recall is None:
        pytest.skip(f"{found} of {asked} found; --openral-min-recall sets the required fraction")
    assert found >= min_recall * asked


def _matches(seen: Detection, phrase: str, box: Box) -> bool:
    return seen.label == phrase and seen.box.iou(box) >= MIN_OVERLAP
