import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box, Detection
from openral_core.text import Thesaurus
from openral_perception_ros.engines.colours import (
    COLOURS,
    LEAST_SHARE,
    ColourGrounding,
    balance_light,
    colour_shares,
)

THESAURUS = Thesaurus.load()
SWATCHES = {
    "red": (190, 30, 30),
    "orange": (235, 130, 30),
    "yellow": (225, 205, 40),
    "green": (40, 140, 60),
    "blue": (40, 80, 180),
    "purple": (125, 50, 150),
    "pink": (240, 150, 185),
    "brown": (110, 70, 40),
    "black": (18, 18, 20),
    "grey": (128, 128, 128),
    "white": (235, 235, 232),
}
OTHERS = {"red": "blue", "orange": "green", "yellow": "purple", "black": "white", "white": "black"}


def scene(objects: dict[tuple[int, int, int, int], tuple[int, int, int]]) -> np.ndarray:
    """Boxes with a disc of one colour each on a wooden table."""
    rgb = np.full((96, 160, 3), (150, 110, 75), np.uint8)
    y, x = np.mgrid[:96, :160] + 0.5
    for (left, top, right, bottom), colour in objects.items():
        u, v = (2 * x - left - right) / (right - left), (2 * y - top - bottom) / (bottom - top)
        rgb[u**2 + v**2 < 1.0] = colour
    return rgb


def grounding() -> ColourGrounding:
    return ColourGrounding(("mug", "bowl", "table"), THESAURUS)


@pytest.mark.parametrize("name", COLOURS)
@pytest.mark.parametrize("light", [0.75, 1.0])
def test_a_colour_is_measured_in_bright_and_dim_light(name: str, light: float) -> None:
    colour = tuple(int(light * level) for level in SWATCHES[name])
    shares = colour_shares(scene({(20, 20, 60, 70): colour}), Box(20, 20, 60, 70))
    assert shares[name] > 0.6
    assert shares[OTHERS.get(name, "red" if name != "pink" else "green")] < LEAST_SHARE


def test_a_white_object_in_the_shade_may_be_grey_but_not_black() -> None:
    shares = colour_shares(scene({(20, 20, 60, 70): (140, 138, 135)}), Box(20, 20, 60, 70))
    assert min(shares["white"], shares["grey"]) > 0.6
    assert shares["black"] < 0.05


@pytest.mark.parametrize("light", [(0.35, 0.35, 0.35), (1.0, 0.75, 0.75), (0.75, 0.8, 1.0)])
def test_white_is_white_in_dim_and_coloured_light(light: tuple[float, float, float]) -> None:
    boxes = {(20, 20, 60, 70): SWATCHES["white"], (90, 20, 130, 70): SWATCHES["grey"]}
    lit = np.rint(scene(boxes) * np.array(light)).astype(np.uint8)
    detections = [Detection(Box(*map(float, box)), "mug", 0.9) for box in boxes]
    found = [each.box for each in grounding().ground(detections, ["white mug"], lit)]
    assert found[:1] == [detections[0].box]


def test_balancing_leaves_an_image_without_unclipped_pixels_alone() -> None:
    rgb = np.full((8, 8, 3), 255, np.uint8)
    assert (balance_light(rgb) == rgb).all()
    assert (balance_light(np.zeros((8, 8, 3), np.uint8)) == 0).all()


def test_what_surrounds_an_object_hardly_counts() -> None:
    rgb = scene({(20, 20, 60, 70): SWATCHES["blue"]})
    assert (
        colour_shares(rgb, Box(14, 14, 66, 76))["blue"] > 2 * colour_shares(rgb, Box(14, 14, 66, 76))["brown"]
    )


@given(st.tuples(*[st.floats(-50.0, 250.0)] * 4))
def test_any_box_gives_shares(corners: tuple[float, float, float, float]) -> None:
    left, right = sorted(corners[::2])
    top, bottom = sorted(corners[1::2])
    shares = colour_shares(scene({}), Box(left, top, right + 0.1, bottom + 0.1))
    assert set(shares) == set(COLOURS)
    assert all(0.0 <= share <= 1.0 + 1e-6 for share in shares.values())


def test_a_phrase_selects_by_colour_and_is_the_label() -> None:
    red, blue, bowl = Box(10, 20, 40, 60), Box(60, 20, 90, 60), Box(110, 20, 150, 60)
    rgb = scene(
        {
            (10, 20, 40, 60): SWATCHES["red"],
            (60, 20, 90, 60): SWATCHES["blue"],
            (110, 20, 150, 60): SWATCHES["red"],
        }
    )
    seen = [Detection(blue, "mug", 0.9), Detection(red, "mug", 0.8), Detection(bowl, "bowl", 0.7)]
    assert grounding().ground(seen, ["crimson mug"], rgb) == [Detection(red, "crimson mug", 0.8)]
    assert grounding().ground(seen, ["green mug"], rgb) == []
    both = grounding().ground(seen, ["mug", "the red bowl"], rgb)
    assert [(found.label, found.box) for found in both] == [
        ("mug", blue),
        ("mug", red),
        ("the red bowl", bowl),
    ]


@pytest.mark.parametrize(
    ("term", "labels"),
    [
        ("red mug", ("mug",)),
        ("navy cup", ("mug",)),
        ("wooden table", ()),
        ("red wooden table", ()),
        ("transparent mug", ()),
        ("the white bowl", ("bowl",)),
        ("unicorn", ()),
    ],
)
def test_only_what_can_be_measured_is_in_the_vocabulary(term: str, labels: tuple[str, ...]) -> None:
    assert grounding().labels_of(term) == labels
