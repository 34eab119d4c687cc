"""Fair turns of cameras before one detector, by a clock of the test."""

import heapq
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_perception_ros.camera_schedule import CREDIT, FIRST_TIME, CameraLimit, CameraSchedule

FAST = 1000.0  # [Hz], a limit that no camera reaches


def simulate(
    schedule: CameraSchedule[str],
    cameras: Mapping[str, float],
    engine: float,
    seconds: float = 60.0,
    moving: frozenset[str] = frozenset(),
) -> Counter[str]:
    """Return looks per camera; ``cameras`` have frame rates [Hz], the ``engine`` looks at its own rate [Hz].

    The engine chooses when it becomes free and, while it is free, at each frame that arrives.
    """
    arrivals = [(index / 97.0, name) for index, name in enumerate(cameras)]
    looks, free_at = Counter[str](), 0.0
    heapq.heapify(arrivals)
    while arrivals[0][0] < seconds:
        now, camera = arrivals[0]
        if free_at <= now and (look := schedule.take(free_at)) is not None:
            looks[look] += 1
            free_at += 1.0 / engine
            continue
        heapq.heapreplace(arrivals, (now + 1.0 / cameras[camera], camera))
        schedule.put(camera, camera, is_moving=camera in moving)
        free_at = max(free_at, now)
    return looks


def shares(looks: Counter[str]) -> dict[str, float]:
    return {camera: count / looks.total() for camera, count in looks.items()}


FOUR = dict.fromkeys(("head", "wrist", "left", "right"), 15.0)


@pytest.mark.parametrize("engine", [5.0, 15.0, 21.7, 40.0, 55.0])
def test_four_cameras_share_an_engine_that_none_leaves_idle(engine: float) -> None:
    looks = simulate(CameraSchedule(dict.fromkeys(FOUR, CameraLimit(FAST))), FOUR, engine)
    assert looks.total() / 60.0 >= 0.95 * engine
    assert shares(looks) == pytest.approx(dict.fromkeys(FOUR, 0.25), rel=0.1)


@pytest.mark.parametrize("engine", [5.0, 12.0, 20.0, 24.0])
def test_looks_are_divided_by_the_shares_that_were_set(engine: float) -> None:
    weights = {"head": 3.0, "wrist": 1.0, "left": 0.5, "right": 0.5}
    schedule = CameraSchedule[str]({camera: CameraLimit(FAST, share) for camera, share in weights.items()})
    looks = simulate(schedule, FOUR, engine)
    assert looks.total() / 60.0 >= 0.95 * engine
    assert shares(looks) == pytest.approx({camera: share / 5.0 for camera, share in weights.items()}, rel=0.1)


def test_each_camera_is_looked_at_as_often_as_its_limit_says() -> None:
    rates = {"head": 10.0, "wrist": 7.0, "left": 2.0, "right": 15.0}
    schedule = CameraSchedule[str]({camera: CameraLimit(rate) for camera, rate in rates.items()})
    looks = simulate(schedule, FOUR, 200.0)
    assert {camera: count / 60.0 for camera, count in looks.items()} == pytest.approx(
        rates, abs=CREDIT / 60.0
    )


def test_what_a_camera_does_not_use_goes_to_the_others() -> None:
    limits = {"head": CameraLimit(2.0, share=8.0), "wrist": CameraLimit(FAST), "left": CameraLimit(FAST)}
    looks = simulate(CameraSchedule[str](limits), {"head": 15.0, "wrist": 15.0, "left": 15.0}, 20.0)
    assert looks["head"] / 60.0 == pytest.approx(2.0, rel=0.1)
    assert looks["wrist"] / 60.0 == pytest.approx(9.0, rel=0.1)
    assert looks["left"] / 60.0 == pytest.approx(9.0, rel=0.1)


def test_a_camera_that_was_silent_does_not_catch_up_at_the_cost_of_the_others() -> None:
    schedule = CameraSchedule[str]({"head": CameraLimit(FAST), "wrist": CameraLimit(FAST)})
    for now in range(1000):
        schedule.put("head", "head")
        assert schedule.take(float(now)) == "head"
    looks = list[str | None]()
    for now in range(1000, 1020):
        schedule.put("head", "head")
        schedule.put("wrist", "wrist")
        looks.append(schedule.take(float(now)))
    assert looks.count("head") >= 8


@pytest.mark.parametrize(("first", "moving", "factor"), [("wrist", "", 4.0), ("", "wrist", 2.0)])
def test_the_camera_of_the_mission_and_a_moving_one_come_first_and_none_starves(
    first: str, moving: str, factor: float
) -> None:
    schedule = CameraSchedule[str](dict.fromkeys(FOUR, CameraLimit(FAST)))
    schedule.look_first(first, 0.0)
    looks = simulate(schedule, FOUR, 14.0, seconds=FIRST_TIME, moving=frozenset({moving}))
    rest = 1.0 / (3.0 + factor)
    assert shares(looks) == pytest.approx(dict.fromkeys(FOUR, rest) | {"wrist": factor * rest}, rel=0.1)


def test_a_camera_comes_first_only_for_a_while() -> None:
    schedule = CameraSchedule[str](dict.fromkeys(FOUR, CameraLimit(FAST)))
    schedule.look_first("wrist", -FIRST_TIME - 1.0)
    assert shares(simulate(schedule, FOUR, 14.0)) == pytest.approx(dict.fromkeys(FOUR, 0.25), rel=0.1)


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(0.1, 10.0), min_size=2),
    st.floats(2.0, 60.0),
    st.floats(1.0, 60.0),
)
def test_no_camera_starves(weights: dict[str, float], camera_rate: float, engine: float) -> None:
    schedule = CameraSchedule[str]({camera: CameraLimit(FAST, share) for camera, share in weights.items()})
    looks, seconds = simulate(schedule, dict.fromkeys(weights, camera_rate), engine, 100.0), 100.0
    for camera, share in weights.items():
        least = min(camera_rate, engine * share / sum(weights.values()))
        assert looks[camera] >= 0.85 * least * seconds - 2.0


def test_a_newer_frame_replaces_the_older_one_and_cleared_frames_are_not_looked_at() -> None:
    schedule = CameraSchedule[int]({"head": CameraLimit(FAST), "wrist": CameraLimit(FAST)})
    assert [schedule.put("head", frame) for frame in (1, 2)] == [False, True]
    assert not schedule.put("wrist", 3)
    assert {schedule.take(0.0), schedule.take(0.1)} == {2, 3}
    assert schedule.take(0.2) is None
    schedule.put("head", 4)
    schedule.clear()
    assert schedule.take(1.0) is None
