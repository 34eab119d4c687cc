"""Messages folded into sections; the same for a running robot and a recording."""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import OccupancyGrid
from pydantic import ValidationError
from sensor_msgs.msg import CameraInfo, CompressedImage
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_console.history import ObjectHistory
from openral_console.ros import map_views, views
from openral_console.sections import Json, Sections
from openral_console.source import JpegImage, NothingToShow
from openral_console.urdf import shapes
from openral_core.errors import OpenRALError
from openral_core.geometry import InvalidTransform
from openral_core.home_edits import HOME_EDITS
from openral_msgs.msg import (
    DetectorInfo,
    FailureTrigger,
    Handoff,
    MissionStatus,
    PromptReceipt,
    PromptStamped,
    SceneGraph,
    WorldState,
)
from openral_ros.conversions.stamps import seconds
from openral_ros.mission_calls import CallHistory

MAX_LOG = 100
"""Latest failures that a page gets."""
MAX_PROMPTS = 500
"""Latest prompts that a page gets, of both sides."""
OPERATOR_PROMPTS = "openral/operator_prompts"
"""Topic of every operator's prompt, each with an id; a recording of an older robot has none."""
MAX_FRAMES, MAX_CAMERAS = 500, 32
"""Most coordinate frames and cameras that a page gets."""
MAX_STATUSES = 300
"""Most diagnostic statuses, since any node can publish any number."""
RATE_WINDOW = 2.5
"""Time over which the rate of a detector is measured [s]; recordings fold the statuses of three seconds."""
BRINGUP = "bringup: "
"""Prefix of bring-up's statuses in /diagnostics: one per managed node."""
PERCEPTION = "/perception/"
PICTURES = "openral/world_state/pictures"
MAX_NAME, MAX_PICTURE, MAX_PICTURES = 200, 200_000, 500
"""Longest id of a pictured object [characters], largest picture [bytes], and most pictures."""
JPEG_START = b"\xff\xd8"
Update = Callable[["Fold", str, Any], None]


class Fold:
    """Sections after the messages that were applied, in order."""

    def __init__(self, sections: Sections) -> None:
        self.sections = sections
        self._prompts: dict[str, dict[str, Json]] = {}
        self._named = False
        self._failures: list[Json] = []
        self._detectors: dict[str, Json] = {}
        self._detections: dict[str, Json] = {}
        self._statuses: dict[str, Json] = {}
        self._answered: dict[str, deque[tuple[float, float]]] = {}
        self._frames: dict[str, Json] = {}
        self._optics: dict[str, Json] = {}
        self.pictures: OrderedDict[str, JpegImage] = OrderedDict()
        self._calls = CallHistory()
        self.history = ObjectHistory()

    def apply(self, topic: str, message: object) -> None:
        """Update the sections that a message changes; one of another type changes none."""
        update = UPDATES.get(type(message))
        if update is not None:
            update(self, topic, message)

    def on_mission(self, topic: str, message: MissionStatus) -> None:
        """Replace the mission."""
        self._calls.complete(message)
        shown = views.mission(message)
        self.sections.put("mission", shown)
        if self.history.on_calls(shown, seconds(message.header.stamp)):
            self.sections.put("history", self.history.events)

    def on_handoff(self, topic: str, message: Handoff) -> None:
        """Replace the question."""
        self.sections.put("handoff", views.handoff(message))

    def on_prompt(self, topic: str, message: PromptStamped) -> None:
        """Add a prompt; a repeated one is shown once, and one without an id as the reasoner names it."""
        if topic.endswith(OPERATOR_PROMPTS):
            self._named = True
            self._prompts.pop("", None)
        elif self._named and not message.id:
            return
        entry = self._prompts.get(message.id, {})
        self._prompts[message.id] = {**entry, "prompt": views.prompt(message)}
        self._put_prompts()

    def on_receipt(self, topic: str, message: PromptReceipt) -> None:
        """Add a receipt to its prompt."""
        entry = self._prompts.get(message.prompt_id, {})
        self._prompts[message.prompt_id] = {**entry, "receipt": views.receipt(message)}
        self._put_prompts()

    def on_text(self, topic: str, message: String) -> None:
        """Replace the palette, the robot's shapes or the found home; other texts are not shown."""
        if topic.endswith("/palette"):
            self.sections.put("palette", views.palette(message.data))
        elif topic.endswith("robot_description"):
            self.sections.put("body", shapes(message.data))
        elif topic.endswith("home_map"):
            with suppress(ValidationError):
                self.sections.put("found_home", map_views.home_map(message.data))
        elif topic.endswith(HOME_EDITS):
            with suppress(ValidationError):
                self.sections.put("home_edits", map_views.home_edits(message.data))

    def on_floor(self, topic: str, message: OccupancyGrid) -> None:
        """Replace the floor; walls alone, and a map that is none, are not shown."""
        if topic.rpartition("/")[2] == "map":
            with suppress(OpenRALError):
                self.sections.put("floor", map_views.floor(message))

    def on_transforms(self, topic: str, message: TFMessage) -> None:
        """Replace the transforms that a message has; invalid ones are left out."""
        for each in message.transforms[:MAX_FRAMES]:
            with suppress(InvalidTransform):
                frame, pose = views.transform(each)
                if frame in self._frames or len(self._frames) < MAX_FRAMES:
                    self._frames[frame] = pose
        self.sections.put("frames", self._frames)

    def on_picture(self, topic: str, message: CompressedImage) -> None:
        """Replace the picture of an object; an empty one removes it."""
        name = message.header.frame_id
        if not topic.endswith(PICTURES) or len(name) > MAX_NAME or len(message.data) > MAX_PICTURE:
            return
        self.pictures.pop(name, None)
        if bytes(message.data[:2]) == JPEG_START:
            self.pictures[name] = JpegImage(bytes(message.data), name, seconds(message.header.stamp))
        while len(self.pictures) > MAX_PICTURES:
            self.pictures.popitem(last=False)
        self.sections.put(
            "pictures", {each: round(picture.stamp, 3) for each, picture in self.pictures.items()}
        )

    def picture(self, name: str) -> JpegImage:
        """Return the picture of an object; may be called from any thread.

        Raises:
            NothingToShow: If there is none.
        """
        picture = self.pictures.get(name)
        if picture is None:
            raise NothingToShow(f"no picture of object {name[:60]!r}")
        return picture

    def on_camera_info(self, topic: str, message: CameraInfo) -> None:
        """Replace the intrinsics of a camera."""
        camera = topic.removesuffix("/camera_info").lstrip("/")
        if camera in self._optics or len(self._optics) < MAX_CAMERAS:
            self._optics[camera] = views.optics(message)
            self.sections.put("optics", self._optics)

    def on_status(self, topic: str, message: DiagnosticStatus) -> None:
        """Replace the frontier of the search; other statuses are not shown."""
        if topic.endswith("openral/frontier"):
            self.sections.put("frontier", views.frontier(message))

    def on_scene(self, topic: str, message: SceneGraph) -> None:
        """Replace the scene graph, and add to the history what is different in it."""
        shown = views.scene(message)
        self.sections.put("scene", shown)
        if self.history.on_scene(shown):
            self.sections.put("history", self.history.events)

    def on_world(self, topic: str, message: WorldState) -> None:
        """Replace the robot's place."""
        self.sections.put("robot", views.world(message))

    def on_failure(self, topic: str, message: FailureTrigger) -> None:
        """Add a failure."""
        self._failures = [*self._failures, views.failure(message)][-MAX_LOG:]
        self.sections.put("failures", self._failures)

    def on_detector(self, topic: str, message: DetectorInfo) -> None:
        """Replace a detector."""
        self._detectors[slug_of(topic)] = views.detector(message)
        self.sections.put("detectors", self._detectors)

    def on_detections(self, topic: str, message: Detection2DArray) -> None:
        """Replace the boxes of a detector."""
        self._detections[slug_of(topic)] = views.detections(message)
        self.sections.put("detections", self._detections)

    def on_diagnostics(self, topic: str, message: DiagnosticArray) -> None:
        """Replace the statuses that a message names; bring-up's are those of the nodes."""
        stamp = seconds(message.header.stamp)
        for name, status in views.diagnostics(message).items():
            if name in self._statuses or len(self._statuses) < MAX_STATUSES:
                self._statuses[name] = {**status, "rate": self._rate(name, status["values"], stamp)}
        nodes = {n.removeprefix(BRINGUP): s for n, s in self._statuses.items() if n.startswith(BRINGUP)}
        others = {n: s for n, s in self._statuses.items() if not n.startswith(BRINGUP)}
        self.sections.put("nodes", nodes)
        self.sections.put("diagnostics", others)

    def _rate(self, name: str, values: Json, stamp: float) -> float | None:
        """Return the images that a detector answers per second; None if its status does not count them."""
        pairs = values if isinstance(values, list) else ()
        answered = next((value for key, value in pairs if key == "answered"), "")
        if not answered.isdecimal():
            self._answered.pop(name, None)
            return None
        counts = self._answered.setdefault(name, deque())
        now = stamp, float(answered)
        while counts and (now[0] - counts[0][0] > RATE_WINDOW or now < counts[-1]):  # later, or started anew
            counts.popleft()
        counts.append(now)
        elapsed = now[0] - counts[0][0]
        return round((now[1] - counts[0][1]) / elapsed, 1) if elapsed > 0.0 else None

    def _put_prompts(self) -> None:
        while len(self._prompts) > MAX_PROMPTS:
            del self._prompts[next(iter(self._prompts))]
        self.sections.put("prompts", [each for each in self._prompts.values() if "prompt" in each])


def slug_of(topic: str) -> str:
    """Return the slug of the detector that a topic belongs to."""
    return topic.rpartition(PERCEPTION)[2].split("/", 1)[0]


UPDATES: Mapping[type, Update] = {
    MissionStatus: Fold.on_mission,
    Handoff: Fold.on_handoff,
    PromptStamped: Fold.on_prompt,
    PromptReceipt: Fold.on_receipt,
    String: Fold.on_text,
    SceneGraph: Fold.on_scene,
    WorldState: Fold.on_world,
    FailureTrigger: Fold.on_failure,
    DetectorInfo: Fold.on_detector,
    Detection2DArray: Fold.on_detections,
    DiagnosticArray: Fold.on_diagnostics,
    DiagnosticStatus: Fold.on_status,
    TFMessage: Fold.on_transforms,
    CameraInfo: Fold.on_camera_info,
    CompressedImage: Fold.on_picture,
    OccupancyGrid: Fold.on_floor,
}
LOGGED = frozenset({PromptStamped, PromptReceipt, FailureTrigger, Handoff, CompressedImage})
"""Types of which every message counts; of the others, the latest one of each topic."""
