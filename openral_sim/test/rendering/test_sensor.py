"""Statistics of the errors of the simulated cameras."""

import numpy as np
import pytest
from numpy.typing import NDArray

from openral_sim.rendering.camera import intrinsics
from openral_sim.rendering.sensor import (
    PERFECT,
    SENSORS,
    SensorModel,
    SensorName,
    frame_generator,
    incidence_cosine,
)

WIDTH, HEIGHT = 320, 240
K = intrinsics(WIDTH, HEIGHT, 58.0)
GREY = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)


def wall(distance: float) -> NDArray[np.float32]:
    return np.full((HEIGHT, WIDTH), distance, np.float32)


def tilted(angle: float) -> NDArray[np.float32]:
    """A plane through the point 2 m ahead, its normal turned about the vertical axis by an angle [rad]."""
    u = (np.arange(WIDTH) - K[0, 2]) / K[0, 0]
    return np.tile((2.0 / (1.0 - u * np.tan(angle))).astype(np.float32), (HEIGHT, 1))


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_noise_of_depth_grows_with_the_square_of_the_distance() -> None:
    sensor = SensorModel(depth_noise=0.0025, noise_grain=1.0)
    for distance in (0.5, 1.0, 2.0, 4.0):
        errors = sensor.measure_depth(wall(distance), GREY, K, rng()) - distance
        assert float(errors.std()) == pytest.approx(0.0025 * distance**2, rel=0.05)
        assert abs(float(errors.mean())) < 0.1 * 0.0025 * distance**2


def test_neighbouring_pixels_err_alike() -> None:
    sensor = SensorModel(depth_noise=0.0025, noise_grain=1.0)
    errors = sensor.measure_depth(wall(2.0), GREY, K, rng()) - 2.0
    beside, apart = (float(np.corrcoef(errors[:, :-k].ravel(), errors[:, k:].ravel())[0, 1]) for k in (1, 8))
    assert beside > 0.6
    assert abs(apart) < 0.05


def test_depth_has_steps_of_disparity() -> None:
    ramp = np.linspace(1.0, 4.0, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).astype(np.float32)
    levels = np.unique(SensorModel(inverse_depth_step=0.01).measure_depth(ramp, GREY, K, rng()))
    assert np.allclose(np.diff(1.0 / levels[::-1]), 0.01, rtol=1e-3)


def test_holes_are_patches_of_the_wanted_fraction() -> None:
    lost = SensorModel(hole_fraction=0.15, hole_grain=3.0).measure_depth(wall(1.0), GREY, K, rng()) == 0
    assert float(lost.mean()) == pytest.approx(0.15, abs=0.01)
    beside_a_hole = lost[:, 1:][lost[:, :-1]]
    assert float(beside_a_hole.mean()) > 0.7


def test_dark_surfaces_give_no_depth_and_bright_ones_do() -> None:
    sensor, half = SensorModel(dark_level=0.2), WIDTH // 2
    rgb = GREY.copy()
    rgb[:, :half] = 5
    measured = sensor.measure_depth(wall(1.0), rgb, K, rng())
    assert float((measured[:, :half] == 0).mean()) > 0.85
    assert (measured[:, half:] > 0).all()


@pytest.mark.parametrize("angle", [0.0, 0.5, 1.0, 1.2])
def test_the_angle_of_incidence_is_measured_in_depth_alone(angle: float) -> None:
    middle = incidence_cosine(tilted(angle), K)[HEIGHT // 2, WIDTH // 2]
    assert float(middle) == pytest.approx(np.cos(angle), abs=0.02)


def test_grazing_surfaces_give_no_depth() -> None:
    sensor = SensorModel(grazing_cosine=0.16)
    assert (sensor.measure_depth(tilted(0.5), GREY, K, rng())[:, 100:220] > 0).all()
    assert sensor.measure_depth(tilted(1.45), GREY, K, rng())[HEIGHT // 2, WIDTH // 2] == 0


def test_pixels_fly_between_near_and_far_at_edges_only() -> None:
    depth = wall(2.0)
    depth[80:160, 100:200] = 1.0
    measured = SensorModel(flying_fraction=0.5).measure_depth(depth, GREY, K, rng())
    flying = (measured > 1.01) & (measured < 1.99)
    edge = 2 * 2 * (80 + 100)
    assert float(flying.sum()) == pytest.approx(0.5 * edge, rel=0.15)
    assert not flying[:76].any()
    assert not flying[90:150, 110:190].any()


def test_noise_of_colour_has_the_variance_of_photons_and_of_the_readout() -> None:
    sensor = SensorModel(shot_noise=0.03, read_noise=0.01)
    for level in (40, 128, 200):
        grey = np.full((HEIGHT, WIDTH, 3), level, np.uint8)
        deviation = float(sensor.expose(grey, 0.0, rng()).std()) / 255
        assert deviation == pytest.approx(np.sqrt(0.01**2 + 0.03**2 * level / 255), rel=0.05)


def test_exposure_drifts_and_flickers_in_bands() -> None:
    drifting = SensorModel(exposure_drift=0.1)
    means = [float(drifting.expose(GREY, time, rng()).mean()) for time in np.arange(0.0, 7.0, 0.5)]
    assert max(means) / min(means) == pytest.approx(1.1 / 0.9, abs=0.02)
    rows = SensorModel(flicker=0.05).expose(GREY, 0.0, rng()).mean(axis=(1, 2))
    assert float(rows.max() / rows.min()) == pytest.approx(1.05 / 0.95, abs=0.02)


def test_a_perfect_camera_changes_nothing() -> None:
    depth = wall(1.5)
    depth[:10] = 0.0
    assert np.array_equal(PERFECT.measure_depth(depth, GREY, K, rng()), depth)
    assert np.array_equal(PERFECT.expose(GREY, 3.0, rng()), GREY)


@pytest.mark.parametrize("name", list(SensorName))
def test_the_same_seed_camera_and_time_give_the_same_image(name: SensorName) -> None:
    def taken(seed: int, time: float) -> bytes:
        source = frame_generator(seed, 1, time)
        measured = SENSORS[name].measure_depth(tilted(0.7), GREY, K, source)
        return measured.tobytes() + SENSORS[name].expose(GREY, time, source).tobytes()

    assert taken(3, 1.2) == taken(3, 1.2)
    if name is not SensorName.OFF:
        assert len({taken(3, 1.2), taken(4, 1.2), taken(3, 1.4)}) == 3


def test_a_realsense_errs_more_than_a_mild_camera_and_still_measures_most_of_a_room() -> None:
    depth, errors = tilted(0.6), []
    for name in (SensorName.OFF, SensorName.MILD, SensorName.REALSENSE):
        measured = SENSORS[name].measure_depth(depth, GREY, K, rng())
        known = measured > 0
        errors.append(float(np.abs(measured - depth)[known].mean()))
        assert float(known.mean()) > 0.85
    assert errors == sorted(errors)
    assert errors[0] == 0.0


def step(near: float, far: float) -> NDArray[np.float32]:
    """A wall with a nearer one before its left half."""
    depth = wall(far)
    depth[:, : WIDTH // 2] = near
    return depth


def test_depth_rises_over_a_ramp_from_an_object_to_what_is_close_behind_it() -> None:
    sensor = SensorModel(ramp=0.03, ramp_fraction=1.0 - 1e-9)
    row = sensor.measure_depth(step(1.0, 1.2), GREY, K, rng())[HEIGHT // 2]
    ramp = np.flatnonzero((row > 1.001) & (row < 1.199))
    assert len(ramp) == pytest.approx(0.03 * K[0, 0], abs=2)
    assert ramp.min() >= WIDTH // 2, "the object keeps its depth"
    assert (np.diff(row[ramp]) > 0).all()


@pytest.mark.parametrize(("near", "far", "fraction"), [(1.0, 2.0, 1.0 - 1e-9), (1.0, 1.2, 1e-9)])
def test_an_edge_is_sharp_before_what_is_far_behind_and_where_there_is_no_ramp(
    near: float, far: float, fraction: float
) -> None:
    sensor, depth = SensorModel(ramp=0.03, ramp_fraction=fraction), step(near, far)
    assert (sensor.measure_depth(depth, GREY, K, rng()) == depth).all()
