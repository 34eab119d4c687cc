"""Parameters of the world_state node."""

from pydantic import Field

from openral_ros.parameters import Parameters
from openral_world_state.lifting.lift import DepthModel
from openral_world_state.negative_evidence import ExistenceDecay
from openral_world_state.track_update import MemoryLimits
from openral_world_state.world import WorldModelSettings


class WorldStateParameters(Parameters):
    """What the node is told; see each description."""

    map: str = Field(
        default="", description="map file (rooms, furniture, people); empty: that of the memory file"
    )
    spatial_memory_path: str = Field(
        default="",
        description="SQLite file memory lives in, or *.json read once; empty: memory dies with the node",
    )
    save_folder: str = Field(
        default="", description="folder below which save_scene_graph may write; empty: nowhere"
    )
    cameras: tuple[str, ...] = Field(
        default=("head", "wrist"), description="camera ids; topics are <id>/depth ..."
    )
    detectors: tuple[str, ...] = Field(
        default=("",),
        description="detectors heard besides those under openral/perception/",
    )
    map_frame: str = Field(default="map", description="frame memory lives in")
    base_frame: str = Field(default="base_link", description="frame of the robot on the floor")
    gripper_frame: str = Field(
        default="wrist_camera_optical_frame", description="frame that carried objects move with"
    )
    requester: str = Field(
        default="", description='agent that "me" means by default; empty: the first of the map'
    )
    map_epoch: int = Field(default=0, ge=0, le=1_000_000, description="grows when the map is made anew")
    standoff: float = Field(
        default=0.7, ge=0.3, le=3.0, description="from the robot to an object approached [m]"
    )
    robot_radius: float = Field(default=0.33, ge=0.05, le=1.5, description="free floor around the robot [m]")
    nearest: float = Field(default=0.15, ge=0.0, le=10.0, description="depth trusted from [m]")
    farthest: float = Field(default=6.0, ge=0.5, le=100.0, description="depth trusted up to [m]")
    depth_history: float = Field(default=8.0, ge=0.2, le=30.0, description="depth images kept for [s]")
    depth_tolerance: float = Field(
        default=0.02, ge=0.0, le=1.0, description="stamps of box and depth may differ [s]"
    )
    still_tolerance: float = Field(
        default=1.5,
        ge=0.0,
        le=10.0,
        description="the same when that depth image was lost and the camera stood still meanwhile [s]",
    )
    patience: float = Field(
        default=0.6, ge=0.0, le=10.0, description="detections wait for depth and transforms [s]"
    )
    most_detections: int = Field(default=200, ge=1, le=10_000, description="detections taken of one message")
    most_objects: int = Field(
        default=20_000,
        ge=100,
        le=1_000_000,
        description="objects remembered; beyond, those gone longest give way, and what is new is refused",
    )
    stale_after: int = Field(default=3, ge=1, le=1000, description="looks in vain until an object is stale")
    gone_after: int = Field(default=8, ge=1, le=1000, description="looks in vain until an object is gone")
    publish_rate: float = Field(
        default=2.0, ge=0.1, le=30.0, description="of world_state and scene_graph [Hz]"
    )
    embeddings: str = Field(
        default="",
        description="sentence-embedding model for near misses: a folder with tokenizer.json and model.onnx, "
        "or <owner>/<name>@<commit> of the Hugging Face hub; empty: words alone",
    )
    embedding_start: float = Field(
        default=60.0, ge=1.0, le=3600.0, description="the embedding model may take to load [s]"
    )
    embedding_deadline: float = Field(
        default=2.0, ge=0.05, le=60.0, description="the embedding model may take to answer [s]"
    )
    embedding_likeness: float = Field(
        default=0.5, ge=0.0, le=1.0, description="similarity from which a label is near in meaning"
    )
    record: str = Field(default="", description="folder to record spans in; empty: none")

    def settings(self) -> WorldModelSettings:
        """As the world takes them."""
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
