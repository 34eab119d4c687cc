"""Parameters of the fleet node."""

import pytest

pytest.importorskip("openral_msgs")
from pydantic import ValidationError

from openral_fleet.ros.parameters import MAX_ROBOTS, FleetParameters, NoErrands
from openral_fleet.settings import FleetSettings


def test_names_of_robots_become_namespaces_each_once() -> None:
    assert FleetParameters(robots=("r1", "/r2/", " r1 ")).robots == ("/r1", "/r2")


def test_too_many_robots_are_refused() -> None:
    with pytest.raises(ValidationError, match="at most 32 robots"):
        FleetParameters(robots=tuple(f"r{i}" for i in range(MAX_ROBOTS + 1)))


@pytest.mark.parametrize("given", [{"robots": ("r1",)}, {"errands": "list.yaml"}])
def test_a_fleet_needs_errands_and_robots(given: dict[str, object]) -> None:
    with pytest.raises(NoErrands, match="is empty; valid is one such as"):
        FleetParameters.model_validate(given).checked()


def test_the_defaults_are_those_of_the_dispatcher() -> None:
    assert FleetParameters().settings() == FleetSettings()
