"""Choices of the simulation, as command lines name them."""

from enum import StrEnum

DEFAULT_ROBOT = "franka"


class DriftName(StrEnum):
    """Names of the shipped errors of odometry."""

    OFF = "off"
    MILD = "mild"
