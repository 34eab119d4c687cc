"""Parameters of the mapper node."""

from pydantic import Field, ValidationInfo, field_validator

from openral_mapping.floor.depth_mapper import MapperConfig
from openral_ros.parameters import Parameters
from openral_world_state.ros.parameters import check_rectified


class MapperParameters(Parameters):
    """Parameters of the mapper node: names, defaults, bounds and descriptions."""

    cameras: tuple[str, ...] = Field(
        default=("head",), description="camera ids; topics are <id>/depth and <id>/camera_info"
    )
    rectified_cameras: tuple[str, ...] = Field(
        default=(), description="camera ids whose images are rectified; <id>/depth for a depth camera"
    )
    map_frame: str = Field(default="map", description="fixed frame of the map")
    base_frame: str = Field(default="base_link", description="frame of the robot's base, on the floor")
    odom_frame: str = Field(default="odom", description="frame in which odometry has the base")
    localise: bool = Field(
        default=False, description="correct odometry by every image, and publish map -> odom on tf"
    )
    map_path: str = Field(
        default="", description="file that the map is loaded from and saved to; empty: it ends with the node"
    )
    resolution: float = Field(default=0.05, ge=0.01, le=0.5, description="side of a cell [m]")
    nearest: float = Field(default=0.2, ge=0.0, le=10.0, description="smallest trusted depth [m]")
    farthest: float = Field(default=5.0, ge=0.5, le=20.0, description="largest range used [m]")
    robot_radius: float = Field(default=0.3, ge=0.05, le=1.5, description="radius of the robot's base [m]")
    robot_height: float = Field(
        default=1.5, ge=0.2, le=3.0, description="height above which nothing is an obstacle [m]"
    )
    floor_tolerance: float = Field(
        default=0.04, ge=0.005, le=0.15, description="height up to which a surface is floor [m]"
    )
    image_rate: float = Field(default=5.0, ge=0.2, le=30.0, description="images used of each camera [Hz]")
    publish_period: float = Field(
        default=1.0, ge=0.1, le=60.0, description="shortest time between two maps [s]"
    )
    save_period: float = Field(
        default=30.0, ge=1.0, le=3600.0, description="time between two saves of a changed map [s]"
    )
    furniture: bool = Field(
        default=False, description="find rooms and furniture too, and publish them as home_map"
    )
    furniture_rate: float = Field(
        default=2.0, ge=0.1, le=10.0, description="images of each detector used for furniture [Hz]"
    )
    home_period: float = Field(
        default=5.0, ge=0.5, le=600.0, description="shortest time between two versions of home_map [s]"
    )

    @field_validator("rectified_cameras")
    @classmethod
    def _are_cameras(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return check_rectified(names, info)

    def config(self) -> MapperConfig:
        """Convert to the parameters of the mapper."""
        return MapperConfig(
            resolution=self.resolution,
            nearest=self.nearest,
            farthest=self.farthest,
            floor_tolerance=self.floor_tolerance,
            robot_height=self.robot_height,
            robot_radius=self.robot_radius,
        )
