"""ROS parameters of the foreign robot."""

from pydantic import Field

from openral_sim.ros.parameters import WorldParameters


class ForeignParameters(WorldParameters):
    """Parameters of the foreign robot; rates are in [Hz] of simulated time, stamps are those of its clock."""

    position_variance: float = Field(
        default=0.002, ge=0.0, description="variance of x and y that amcl_pose reports [m^2]"
    )
    yaw_variance: float = Field(
        default=0.001, ge=0.0, description="variance of yaw that amcl_pose reports [rad^2]"
    )
    client_timeout: float = Field(
        default=3.0, gt=0.0, description="time after which a goal is ended if its action has no client [s]"
    )
