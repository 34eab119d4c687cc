"""Parameters of a detector node: the limits they become, and the values they refuse."""

import pytest
from pydantic import ValidationError

from openral_perception_ros.camera_schedule import CameraLimit
from openral_perception_ros.detector import InvalidCamera
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.parameters import DetectorParameters


def test_the_limits_of_the_worker_are_those_of_the_parameters() -> None:
    parameters = DetectorParameters(
        rskill="small",
        load_deadline=11.0,
        inference_deadline=12.0,
        queue=13,
        restarts=14,
        cool_down=15.0,
        longest_cool_down=16.0,
    )
    limits = parameters.limits
    assert (limits.load, limits.inference, limits.capacity) == (11.0, 12.0, 13)
    breaker = limits.restarts
    assert (breaker.limit, breaker.cool_down, breaker.max_cooldown) == (14, 15.0, 16.0)


def test_the_engine_gets_its_load_options() -> None:
    parameters = DetectorParameters(
        rskill="small", seed=3, device="cuda:1", weights_folder="/weights", remote_code=True
    )
    assert parameters.load_options == LoadOptions(3, "cuda:1", "/weights", True)


def test_the_primary_camera_comes_first_and_one_topic_is_enough() -> None:
    cameras = ("head:=/front", "wrist")
    assert DetectorParameters(rskill="small", cameras=cameras, primary_camera="wrist").ordered_cameras == (
        "wrist",
        "head:=/front",
    )
    one = DetectorParameters(rskill="small", primary_camera="eye", image_topic="/eye/image_raw")
    assert one.ordered_cameras == ("eye:=/eye",)
    with pytest.raises(InvalidCamera, match="primary_camera is none of head, wrist"):
        _ = DetectorParameters(rskill="small", cameras=cameras, primary_camera="eye").ordered_cameras


def test_rates_and_shares_belong_to_cameras() -> None:
    parameters = DetectorParameters(
        rskill="small",
        cameras=("head:=/front", "wrist"),
        rate=8.0,
        camera_rates=("wrist:=2.5",),
        camera_shares=("head:=3",),
    )
    assert parameters.camera_limits == {"head": CameraLimit(8.0, 3.0), "wrist": CameraLimit(2.5, 1.0)}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("door:=2", "not one of the cameras head, wrist"),
        ("head", "a number from 0.001 to 1000 must follow ':='"),
        ("head:=often", "a number from"),
        ("head:=0", "a number from"),
        ("head:=nan", "a number from"),
        ("head:=inf", "a number from"),
    ],
)
@pytest.mark.parametrize("name", ["camera_rates", "camera_shares"])
def test_a_rate_or_share_of_no_camera_or_without_a_number_is_refused(
    name: str, entry: str, problem: str
) -> None:
    parameters = DetectorParameters(rskill="small", cameras=("head", "wrist"), **{name: (entry,)})
    with pytest.raises(InvalidCamera, match=problem):
        parameters.check_existence({name})


@pytest.mark.parametrize(
    "change",
    [
        {"cameras": ()},
        {"rate": 0.0},
        {"queue": 0},
        {"restarts": -1},
        {"deadline": float("nan")},
        {"max_frame_age": float("inf")},
        {"unknown": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_invalid_value_is_refused_by_name(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(change))):
        DetectorParameters.model_validate({"rskill": "small", **change})


def test_a_detector_must_be_named() -> None:
    with pytest.raises(ValidationError, match="rskill"):
        DetectorParameters.model_validate({})
