"""Parameters of the world_state node."""

from pydantic import Field, ValidationInfo, field_validator

from openral_ros.parameters import Parameters
from openral_world_state.lifting import DepthModel
from openral_world_state.negative_evidence import ExistenceDecay
from openral_world_state.pictures import PictureLimits
from openral_world_state.spatial_memory.memory import MemoryLimits
from openral_world_state.world.world_model import WorldModelSettings


def check_rectified(names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Check that rectified cameras are among the parameter ``cameras``."""
    valid = [name for camera in info.data.get("cameras", ()) for name in (camera, f"{camera}/depth")]
    if unknown := [name for name in names if name not in valid]:
        raise ValueError(f"unknown camera {unknown[0]!r}: expected one of {', '.join(valid)}")
    return names


class WorldStateParameters(Parameters):
    """Parameters of the world_state node: names, defaults, bounds and descriptions."""

    map: str = Field(
        default="",
        description="map file (rooms, furniture, people); empty: the map stored in the memory file",
    )
    perceived_home: bool = Field(
        default=False, description="take rooms and furniture from the topic home_map as they are found"
    )
    spatial_memory_path: str = Field(
        default="",
        description="SQLite file of memory, or a *.json graph read once; empty: memory ends with the node",
    )
    save_folder: str = Field(
        default="", description="only folder that save_scene_graph may write to; empty: none"
    )
    cameras: tuple[str, ...] = Field(
        default=("head", "wrist"), description="camera ids; topics are <id>/depth and <id>/camera_info"
    )
    rectified_cameras: tuple[str, ...] = Field(
        default=(),
        description="camera ids whose images are rectified: P of camera_info is used, not K and D; "
        "<id>/depth for a depth camera with intrinsics of its own",
    )
    detectors: tuple[str, ...] = Field(
        default=("",), description="namespaces of detectors outside openral/perception/"
    )
    map_frame: str = Field(default="map", description="fixed frame of all remembered poses")
    base_frame: str = Field(default="base_link", description="frame of the robot's base, on the floor")
    gripper_frame: str = Field(
        default="grasp", description="frame between the pads of the gripper; held objects move with it"
    )
    requester: str = Field(
        default="", description='agent that "me" refers to by default; empty: the first agent of the map'
    )
    map_epoch: int = Field(
        default=0, ge=0, le=1_000_000, description="number of the map; increase it when the map is rebuilt"
    )
    standoff: float = Field(
        default=0.7,
        ge=0.3,
        le=3.0,
        description="distance of the robot's base from an object it approaches [m]",
    )
    robot_radius: float = Field(default=0.33, ge=0.05, le=1.5, description="radius of the robot's base [m]")
    nearest: float = Field(default=0.15, ge=0.0, le=10.0, description="smallest trusted depth [m]")
    farthest: float = Field(default=6.0, ge=0.5, le=100.0, description="largest trusted depth [m]")
    depth_history: float = Field(
        default=8.0, ge=0.2, le=30.0, description="time for which depth images are kept [s]"
    )
    depth_tolerance: float = Field(
        default=0.02,
        ge=0.0,
        le=1.0,
        description="largest difference between the stamps of a detection and its depth image [s]",
    )
    still_tolerance: float = Field(
        default=1.5,
        ge=0.0,
        le=10.0,
        description="the same if that depth image was lost and the camera stood still meanwhile [s]",
    )
    patience: float = Field(
        default=0.6,
        ge=0.0,
        le=10.0,
        description="time for which detections wait for depth and transforms [s]",
    )
    most_detections: int = Field(default=200, ge=1, le=10_000, description="detections read of one message")
    most_objects: int = Field(
        default=20_000,
        ge=100,
        le=1_000_000,
        description="object limit; beyond it the object gone longest is dropped, or a new object refused",
    )
    stale_after: int = Field(default=3, ge=1, le=1000, description="misses until an object is stale")
    gone_after: int = Field(default=8, ge=1, le=1000, description="misses until an object is gone")
    publish_rate: float = Field(
        default=2.0, ge=0.1, le=30.0, description="rate of world_state and scene_graph [Hz]"
    )
    pictures: bool = Field(
        default=True, description="keep a picture of the best view of each object, beside the memory file"
    )
    most_pictures: int = Field(
        default=500, ge=1, le=20_000, description="pictures kept; beyond it the oldest is dropped"
    )
    pictures_mb: float = Field(default=8.0, ge=0.1, le=1000.0, description="size of all pictures [MB]")
    embeddings: str = Field(
        default="",
        description="sentence-embedding model for near misses: a folder with tokenizer.json and model.onnx, "
        "or <owner>/<name>@<commit> of the Hugging Face hub; empty: none",
    )
    embedding_start: float = Field(
        default=60.0, ge=1.0, le=3600.0, description="time for the embedding model to load [s]"
    )
    embedding_deadline: float = Field(
        default=2.0, ge=0.05, le=60.0, description="time for the embedding model to answer [s]"
    )
    embedding_likeness: float = Field(
        default=0.5, ge=0.0, le=1.0, description="smallest cosine similarity of a label near in meaning"
    )
    record: str = Field(default="", description="folder for recorded spans; empty: none")

    @field_validator("rectified_cameras")
    @classmethod
    def _are_cameras(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return check_rectified(names, info)

    def picture_limits(self) -> PictureLimits:
        """Convert to the limits of the pictures; none are kept if they are off."""
        if not self.pictures:
            return PictureLimits(0, 0)
        return PictureLimits(self.most_pictures, int(self.pictures_mb * 1e6))

    def settings(self) -> WorldModelSettings:
        """Convert to the settings of the world model."""
        return WorldModelSettings(
            optics=DepthModel(nearest=self.nearest, farthest=self.farthest),
            decay=ExistenceDecay(stale_after=self.stale_after, gone_after=self.gone_after),
            limits=MemoryLimits(objects=self.most_objects),
            standoff=self.standoff,
            robot_radius=self.robot_radius,
            map_epoch=self.map_epoch,
            lateness=self.depth_history + self.still_tolerance,
            default_agent=self.requester,
        )
