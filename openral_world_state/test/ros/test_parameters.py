"""Parameters of the world_state node: the settings they become, and the values they refuse."""

import pytest
from pydantic import ValidationError

from openral_world_state.ros.parameters import WorldStateParameters


def test_the_settings_of_the_world_model_are_those_of_the_parameters() -> None:
    settings = WorldStateParameters(
        nearest=0.2,
        farthest=4.0,
        stale_after=5,
        gone_after=6,
        most_objects=700,
        standoff=0.8,
        robot_radius=0.25,
        map_epoch=9,
        depth_history=3.0,
        still_tolerance=2.0,
        requester="anna",
    ).settings()
    assert (settings.optics.nearest, settings.optics.farthest) == (0.2, 4.0)
    assert (settings.decay.stale_after, settings.decay.gone_after) == (5, 6)
    assert settings.limits.objects == 700
    assert (settings.standoff, settings.robot_radius, settings.map_epoch) == (0.8, 0.25, 9)
    assert (settings.lateness, settings.default_agent) == (5.0, "anna")


@pytest.mark.parametrize(
    "change",
    [
        {"map_epoch": -1},
        {"standoff": 0.1},
        {"robot_radius": 9.0},
        {"farthest": float("inf")},
        {"most_objects": 1},
        {"publish_rate": 0.0},
        {"embedding_likeness": 1.5},
        {"unknown": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_invalid_value_is_refused_by_name(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(change))):
        WorldStateParameters.model_validate(change)
