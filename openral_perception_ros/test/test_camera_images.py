"""Images that are too dark or too bright to show anything."""

import numpy as np
import pytest
from sensor_msgs.msg import CompressedImage

from openral_core.rskills import Sensor
from openral_perception_ros.camera_images import ImageCache, ImageSet, ViewChange, is_blank
from openral_ros.conversions.images import image_message

RNG = np.random.default_rng(0)


def grey(level: int, noise: int = 0, shape: tuple[int, int] = (480, 640)) -> np.ndarray:
    return (level + RNG.integers(0, noise + 1, (*shape, 3))).astype(np.uint8)


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(grey(0), id="black"),
        pytest.param(grey(255), id="white"),
        pytest.param(grey(90, 2), id="grey, as a codec rounds it"),
        pytest.param(grey(0, 8), id="a covered lens, its sensor's noise"),
        pytest.param(np.full((480, 640, 3), (0, 135, 0), np.uint8), id="green of a broken decoder"),
        pytest.param(grey(0, shape=(1, 1)), id="one pixel"),
    ],
)
def test_nothing_is_shown_by(picture: np.ndarray) -> None:
    assert is_blank(picture)


def wall(level: int) -> np.ndarray:
    """A plain wall, lit a little more on one side."""
    return np.repeat((level + np.linspace(0, 6, 640).astype(np.uint8))[None, :, None], 480, 0).repeat(3, 2)


def with_a_mug(picture: np.ndarray) -> np.ndarray:
    picture[201:206, 301:306] = (180, 30, 30)
    return picture


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(wall(120), id="a plain wall"),
        pytest.param(with_a_mug(grey(120)), id="something small on one colour"),
        pytest.param(grey(0, 40), id="a dim room"),
        pytest.param(grey(240, 15), id="a bright one"),
    ],
)
def test_something_is_shown_by(picture: np.ndarray) -> None:
    assert not is_blank(picture)


def test_images_of_one_stamp_make_a_shot() -> None:
    cache = ImageCache("head", (Sensor.RGB, Sensor.DEPTH))
    assert not cache.put("rgb", "r1", 1, "optical", 0.1)
    assert not cache.put("depth", "s2", 2, "optical", 0.2)
    assert cache.latest() is None
    assert cache.put("rgb", "r2", 2, "optical", 0.3)
    image_set = cache.latest()
    assert image_set is not None
    assert (image_set.stamp, image_set.received, image_set.images) == (
        2,
        0.3,
        {"depth": "s2", "rgb": "r2"},
    )


def test_a_late_image_never_brings_an_older_shot_back() -> None:
    cache = ImageCache("head", (Sensor.RGB, Sensor.DEPTH))
    for sensor, stamp in (("rgb", 1), ("rgb", 2), ("depth", 2)):
        cache.put(sensor, sensor, stamp, "optical", 0.0)
    assert not cache.put("depth", "late", 1, "optical", 0.0)
    assert cache.latest().stamp == 2


def test_a_clock_that_jumped_back_still_gives_new_shots() -> None:
    cache = ImageCache("head", (Sensor.RGB,))
    cache.put("rgb", "before", 10_000, "optical", 0.0)
    assert cache.put("rgb", "after", 5, "optical", 0.1)
    assert cache.latest().images == {"rgb": "after"}


def test_images_without_a_partner_are_not_kept_for_ever() -> None:
    cache = ImageCache("head", (Sensor.RGB, Sensor.DEPTH))
    for stamp in range(1000):
        cache.put("rgb", "alone", stamp, "optical", 0.0)
    assert len(cache._partial) < 10


def test_instance_ids_wait_for_their_names() -> None:
    cache = ImageCache("head", (Sensor.SEMANTIC,))
    cache.put("semantic", "s", 1, "optical", 0.0)
    assert cache.latest() is None
    assert cache.missing_topics() == ("labels",)
    cache.put_instance_names({1: "mug"})
    assert cache.latest().instance_names == {1: "mug"}


def test_what_never_came_is_named() -> None:
    cache = ImageCache("head", (Sensor.RGB, Sensor.SEMANTIC))
    cache.put("rgb", "r", 1, "optical", 0.0)
    assert cache.missing_topics() == ("semantic", "labels")


@pytest.mark.parametrize(
    ("ros_now", "steady_now", "age"),
    [(3_000_000_000, 10.5, 2.0), (1_500_000_000, 13.0, 3.0), (0, 10.0, 0.0)],
)
def test_age_is_the_greater_of_both_clocks(ros_now: int, steady_now: float, age: float) -> None:
    assert ImageSet("head", 1_000_000_000, "optical", 10.0, {}).age(ros_now, steady_now) == age


def shown(pixels: np.ndarray, encoding: str = "rgb8") -> ImageSet:
    return ImageSet("head", 0, "optical", 0.0, {"rgb": image_message(pixels, encoding, 0.0, "optical")})


@pytest.mark.parametrize("shape", [(480, 640), (1080, 1920), (6, 8)])
def test_a_view_changes_as_the_camera_turns_and_not_by_noise(shape: tuple[int, int]) -> None:
    scene = np.random.default_rng(1).integers(0, 200, (*shape, 3), np.uint8).astype(int)
    noise = np.random.default_rng(2).normal(0.0, 4.0, scene.shape)
    view = ViewChange()
    assert not view.differs(shown(scene.astype(np.uint8)))
    view.looked_at(shown(scene.astype(np.uint8)))
    assert not view.differs(shown(np.clip(scene + noise, 0, 255).astype(np.uint8)))
    assert view.differs(shown(np.roll(scene, shape[1] // 4, axis=1).astype(np.uint8)))


def test_images_that_cannot_be_compared_are_no_change() -> None:
    view, dark, light = ViewChange(), np.zeros((60, 80, 3), np.uint8), np.full((60, 80, 3), 200, np.uint8)
    view.looked_at(shown(dark))
    assert not view.differs(ImageSet("head", 0, "optical", 0.0, {"rgb": CompressedImage()}))
    assert not view.differs(shown(light.astype(np.uint16), "rgb16"))
    assert view.differs(shown(light))
