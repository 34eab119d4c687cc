"""Parameters of the fleet node."""

from pathlib import Path

from pydantic import Field, field_validator

from openral_core.errors import OpenRALError
from openral_fleet.settings import FleetSettings
from openral_ros.parameters import Parameters

_DEFAULTS = FleetSettings()
MAX_ROBOTS = 32
"""Most robots of one dispatcher: each costs some ten subscriptions."""


class NoErrands(OpenRALError):
    """A fleet without errands, or without robots."""

    def __init__(self, parameter: str, example: str) -> None:
        super().__init__(f"parameter {parameter} is empty; valid is one such as {example}")


class FleetParameters(Parameters):
    """ROS parameters of the fleet node, with default, bounds and description."""

    errands: str = Field("", description="list of errands: YAML, or text with one goal a line")
    robots: tuple[str, ...] = Field((), description="namespaces of the robots, as in robot1")
    journal: str = Field(
        "", description="folder of the journal from which a restarted node goes on; empty disables it"
    )
    mission_seconds: float = Field(
        _DEFAULTS.mission_seconds,
        gt=0.0,
        le=86400.0,
        description="time budget of a mission until its robot reports it [s]; at least the robots' own",
    )
    lease_margin: float = Field(
        _DEFAULTS.lease_margin,
        ge=0.0,
        le=86400.0,
        description="time beyond it for skills to end and people to answer, before another robot begins [s]",
    )
    presumed_off: float = Field(
        _DEFAULTS.presumed_off,
        ge=0.0,
        le=86400.0,
        description="absence after which a robot is presumed off [s]; 0 waits for the end of its lease",
    )
    patience: float = Field(
        _DEFAULTS.patience,
        gt=0.0,
        le=86400.0,
        description="longest wait for a robot that can do an errand [s]",
    )
    answer_timeout: float = Field(
        _DEFAULTS.answer, ge=0.0, le=86400.0, description="longest wait for a person's answer [s]"
    )
    max_missions: int = Field(
        _DEFAULTS.max_missions, ge=1, le=100, description="missions of one errand, looks included"
    )

    @field_validator("robots")
    @classmethod
    def _namespaces(cls, robots: tuple[str, ...]) -> tuple[str, ...]:
        """Write each name as a namespace."""
        names = tuple(dict.fromkeys("/" + name.strip().strip("/") for name in robots if name.strip()))
        if len(names) > MAX_ROBOTS:
            raise ValueError(f"at most {MAX_ROBOTS} robots, found {len(names)}")
        return names

    def settings(self) -> FleetSettings:
        """Return the settings of the dispatcher."""
        return FleetSettings(
            mission_seconds=self.mission_seconds,
            lease_margin=self.lease_margin,
            presumed_off=self.presumed_off,
            patience=self.patience,
            answer=self.answer_timeout,
            max_missions=self.max_missions,
        )

    def checked(self) -> tuple[Path, tuple[str, ...]]:
        """Return the path of the list, and the robots.

        Raises:
            NoErrands: If one of them is missing.
        """
        if not self.errands:
            raise NoErrands("errands", "errands.yaml")
        if not self.robots:
            raise NoErrands("robots", "[robot1, robot2]")
        return Path(self.errands), self.robots
