"""Findings about a running robot, from what was observed of it; each problem has its mend. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import atan, degrees, isfinite
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.clocks import clock_hint
from openral_core.geometry import frame_name
from openral_core.policies import PolicyBackend
from openral_core.robot import (
    ActionBackend,
    AnyBackend,
    Camera,
    LocalisationLimits,
    MoveItBackend,
    PanTiltBackend,
    PanTiltDescription,
    RobotDescription,
)

COMPARED_WIDTH = 160
"""Width at which images are compared [px]: a shift of 1 % is 1.6 px."""
SEARCHED_SHIFT = 0.2
"""Largest shift that is looked for, of the image's width [1]: sensors are a few centimetres apart."""
DISTINCT_RATIO = 1.3
"""Ratio of the best correlation to the one without a shift from which a shift is believed [1]."""
DEPTH_STEP = 0.05
"""Relative difference of neighbouring depths that is an edge [1]."""


def alignment(colour: NDArray[np.generic], depth: NDArray[np.generic]) -> tuple[float, float] | None:
    """Return the shift of depth edges to the right and down of colour edges, of the image's width.

    Args:
        colour: RGB, uint8, shape (H, W, 3).
        depth: In [m], shape (h, w); 0 or NaN where unknown.

    Returns:
        None if too few edges are seen to tell; (0, 0) if no shift fits distinctly better than none.
    """
    height = round(COMPARED_WIDTH * colour.shape[0] / colour.shape[1])
    grey = cv2.cvtColor(np.ascontiguousarray(colour, np.uint8), cv2.COLOR_RGB2GRAY)
    edges = colour_edges(cv2.resize(grey, (COMPARED_WIDTH, height), interpolation=cv2.INTER_AREA))
    small = cv2.resize(depth.astype(np.float32), (COMPARED_WIDTH, height), interpolation=cv2.INTER_NEAREST)
    steps = depth_edges(small)
    if steps.sum() < COMPARED_WIDTH / 2 or edges.sum() < COMPARED_WIDTH / 2:
        return None
    reach = round(SEARCHED_SHIFT * COMPARED_WIDTH)
    scores = cv2.matchTemplate(np.pad(edges, reach), steps, cv2.TM_CCORR)
    row, column = np.unravel_index(int(scores.argmax()), scores.shape)
    if scores[row, column] < DISTINCT_RATIO * scores[reach, reach]:
        return 0.0, 0.0
    return (reach - int(column)) / COMPARED_WIDTH, (reach - int(row)) / COMPARED_WIDTH


def colour_edges(grey: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return strong edges, widened by a pixel, shape (H, W)."""
    edges = cv2.Canny(grey, 50, 150) > 0
    return np.asarray(cv2.GaussianBlur(edges.astype(np.float32), (3, 3), 0), np.float32)


def depth_edges(depth: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 at steps between known neighbours, else 0, shape (H, W)."""
    valid = np.where(np.isfinite(depth) & (depth > 0.0), depth, np.nan)
    with np.errstate(invalid="ignore"):
        right = np.abs(np.diff(valid, axis=1)) > DEPTH_STEP * valid[:, 1:]
        down = np.abs(np.diff(valid, axis=0)) > DEPTH_STEP * valid[1:, :]
    steps = np.zeros(depth.shape, np.float32)
    steps[:, 1:] += right
    steps[1:, :] += down
    return np.minimum(steps, 1.0)


MIN_RATE = 0.7
"""Fraction of the expected rate below which a camera is too slow [1]; drivers drop some frames."""
MAX_AGE = 1.0
"""Age of stamps and transforms beyond which perception rejects or misplaces what it sees [s]."""
MAX_LEAD = 0.1
"""Time by which a stamp may lie in the future [s]: NTP keeps clocks within a few milliseconds."""
FIELD_OF_VIEW = (20.0, 150.0)
"""Plausible horizontal fields of view of a pinhole camera [deg]: telephoto to wide angle."""
ASPECT = 0.2
"""Plausible relative difference of fx and fy [1]: pixels are almost square."""
RANGES = (0.1, 20.0)
"""Plausible median of an indoor depth image [m]."""
MAX_SHIFT = 0.02
"""Shift between edges of depth and of colour that still counts as registered, of the image's width [1]."""


START = "start the driver, or correct the topic"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check: passed, failed with a ``problem``, or not ``checked``, for which it is the reason.

    ``mend`` says what to do about it, ``note`` what was found where nothing is wrong.
    """

    what: str
    problem: str = ""
    mend: str = ""
    checked: bool = True
    note: str = ""

    @property
    def failed(self) -> bool:
        """True if what was looked at is wrong."""
        return self.checked and bool(self.problem)


@dataclass(slots=True)
class Stream:
    """Images of one topic: stamps and their ages at arrival [s], and the newest one."""

    stamps: list[float] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)
    frame_id: str = ""
    encoding: str = ""
    size: tuple[int, int] = (0, 0)
    pixels: NDArray[np.generic] | None = None
    problem: str = ""

    @property
    def rate(self) -> float:
        """Images per second by their stamps [Hz]."""
        span = max(self.stamps) - min(self.stamps) if self.stamps else 0.0
        return (len(self.stamps) - 1) / span if span > 0.0 else 0.0


@dataclass(frozen=True, slots=True)
class CameraModel:
    """CameraInfo: its matrix in [px], shape (3, 3), and its image size."""

    K: NDArray[np.float64]
    size: tuple[int, int]


@dataclass(slots=True)
class Observations:
    """Observations of a robot."""

    images: Mapping[str, Stream]  # Colour images by camera.
    depths: Mapping[str, Stream]  # Depth images by camera, in [m].
    models: Mapping[str, CameraModel]  # CameraInfo by camera.
    # Age of the transform from map [s] by frame; None if the frames are not connected.
    transforms: Mapping[str, float | None]
    actions: Mapping[str, Sequence[str]]  # Types of the action servers in the graph by absolute name.
    # Variances of x, y [m^2] and yaw [rad^2] of the pose; None if there was no pose.
    variances: tuple[float, float, float] | None = None


def examine(robot: RobotDescription, actual: Observations) -> list[Finding]:
    """Return every finding, in the order in which to mend them; what did not come counts as no success."""
    findings: list[Finding] = []
    for name, camera in robot.cameras.items():
        findings += _camera(name, camera, actual)
    findings += _transforms(robot, actual)
    for verb, backend in robot.skills.items():
        if not actions_of(backend, robot):
            findings.append(
                unchecked(f"action of {verb}", "its backend has no action that could be looked for")
            )
        findings += [
            _action(f"action of {verb}", *pair, robot, actual) for pair in actions_of(backend, robot)
        ]
    if robot.localisation is not None:
        findings.append(_localisation(robot.localisation, actual))
    return findings


def unchecked(what: str, reason: str, mend: str = "try the skill itself") -> Finding:
    """Return the result of a check that could not be made."""
    return Finding(what, reason, mend, checked=False)


def _camera(name: str, camera: Camera, actual: Observations) -> Iterator[Finding]:
    yield from _stream(f"camera {name}: image", camera.image_topic, camera, actual.images.get(name, Stream()))
    yield _intrinsics(name, camera, actual)
    if camera.depth:
        depth = actual.depths.get(name, Stream())
        yield from _stream(f"camera {name}: depth", camera.depth, camera, depth)
        yield _depth_values(name, camera, depth)
        if not camera.depth_info:
            yield _registration(name, camera, actual.images.get(name, Stream()), depth)


def _stream(what: str, topic: str, camera: Camera, stream: Stream) -> Iterator[Finding]:
    if not stream.stamps:
        problem = stream.problem or f"nothing on {topic}"
        yield Finding(what, problem, f"start the driver, or correct the topic: `ros2 topic hz {topic}`")
        return
    readable = topic == camera.depth or not stream.problem
    yield Finding(what) if readable else Finding(what, stream.problem, f"publish another encoding on {topic}")
    yield _rate(f"{what}, rate", topic, camera, stream)
    yield _clock(f"{what}, clock", stream)
    is_own = topic == camera.depth and bool(camera.depth_info)
    same = is_own or stream.frame_id == frame_name(camera.optical_frame)
    problem = "" if same else f"frame_id is '{stream.frame_id}', robot.yaml has '{camera.optical_frame}'"
    mend = (
        ""
        if same
        else "set optical_frame to the driver's frame; of depth: use the aligned topic, or give depth_info"
    )
    yield Finding(f"{what}, frame", problem, mend)


def _rate(what: str, topic: str, camera: Camera, stream: Stream) -> Finding:
    if stream.rate >= MIN_RATE * camera.rate:
        return Finding(what)
    mend = f"lower the resolution, use USB 3 or a nearer subscriber for {topic}, or set rate in robot.yaml"
    return Finding(what, f"{stream.rate:.1f} Hz, expected {camera.rate:.1f} Hz", mend)


def _clock(what: str, stream: Stream) -> Finding:
    age = median(stream.ages)
    if -MAX_LEAD <= age <= MAX_AGE:
        return Finding(what)
    problem = f"images are stamped {abs(age):.1f} s {'ago' if age > 0 else 'in the future'}{clock_hint(age)}"
    return Finding(
        what, problem, "synchronise the clocks of both hosts (chrony), or set use_sim_time equally"
    )


def _intrinsics(name: str, camera: Camera, actual: Observations) -> Finding:
    what, model = f"camera {name}: intrinsics", actual.models.get(name)
    if model is None:
        return Finding(what, f"nothing on {camera.info}", "start the driver, or correct the topic `info`")
    size = actual.images.get(name, Stream()).size
    problem = _intrinsics_problem(model, size)
    if not problem and size == (0, 0):
        return unchecked(what, "no image has come whose size they could be compared with", START)
    return Finding(what, problem, "calibrate the camera, or correct the topic `info`" if problem else "")


def _intrinsics_problem(model: CameraModel, size: tuple[int, int]) -> str:
    fx, fy, cx, cy = model.K[0, 0], model.K[1, 1], model.K[0, 2], model.K[1, 2]
    width, height = model.size
    if not (isfinite(fx + fy + cx + cy) and fx > 0.0 and fy > 0.0):
        return "the camera matrix is not set"
    if size not in ((0, 0), model.size):
        return f"camera_info is for {width}x{height}, images are {size[0]}x{size[1]}"
    view = 2.0 * degrees(atan(width / 2.0 / fx))
    if not FIELD_OF_VIEW[0] <= view <= FIELD_OF_VIEW[1]:
        return f"a horizontal field of view of {view:.0f} deg is implausible"
    if abs(fx / fy - 1.0) > ASPECT:
        return f"fx {fx:.0f} and fy {fy:.0f} px differ"
    central = 0.25 * width <= cx <= 0.75 * width and 0.25 * height <= cy <= 0.75 * height
    return "" if central else f"the principal point ({cx:.0f}, {cy:.0f}) is far from the image's centre"


def _depth_values(name: str, camera: Camera, depth: Stream) -> Finding:
    what = f"camera {name}: depth values"
    if depth.problem:
        return Finding(what, depth.problem, f"{camera.depth} must be depth: 16UC1 in [mm] or 32FC1 in [m]")
    if depth.pixels is None:
        return unchecked(what, f"no image has come on {camera.depth}", START)
    pixels = depth.pixels.astype(np.float64)
    valid = pixels[np.isfinite(pixels) & (pixels > 0.0)]
    if valid.size < 0.05 * pixels.size:
        return Finding(what, "less than 5 % of the pixels have a depth", "uncover the sensor; enable depth")
    middle = float(np.median(valid))
    if RANGES[0] <= middle <= RANGES[1]:
        return Finding(what)
    mend = f"{camera.depth} must be 16UC1 in [mm] or 32FC1 in [m]: correct the driver's unit"
    return Finding(what, f"the median depth is {middle:.3g} m", mend)


def _registration(name: str, camera: Camera, image: Stream, depth: Stream) -> Finding:
    what = f"camera {name}: depth registered to colour"
    mend = f"use a depth topic registered to {camera.image}, as align_depth.enable of realsense2_camera"
    if image.pixels is None or depth.pixels is None or depth.problem:
        missing = camera.image_topic if image.pixels is None else camera.depth
        return unchecked(what, f"no readable image has come on {missing}", START)
    if image.size[0] * depth.size[1] != image.size[1] * depth.size[0]:
        return Finding(what, f"colour is {image.size}, depth {depth.size}: other proportions", mend)
    shift = alignment(image.pixels, depth.pixels)
    if shift is None:
        return unchecked(what, "too few edges are in view to tell", "show the camera furniture, and repeat")
    if max(abs(shift[0]), abs(shift[1])) <= MAX_SHIFT:
        return Finding(what)
    problem = f"edges of depth are shifted by {100 * shift[0]:.0f} % right, {100 * shift[1]:.0f} % down"
    return Finding(what, f"{problem} of the image's width", mend)


def _transforms(robot: RobotDescription, actual: Observations) -> Iterator[Finding]:
    for frame in frames_of(robot):
        what, age = f"transform {robot.frames.map} <- {frame}", actual.transforms.get(frame)
        if age is None:
            mend = "start localisation and robot_state_publisher: `ros2 run tf2_tools view_frames`"
            yield Finding(what, "the frames are not connected", mend)
        elif age > MAX_AGE:
            yield Finding(
                what,
                f"the newest one is {age:.1f} s old{clock_hint(age)}",
                "find which publisher of tf has stopped",
            )
        else:
            yield Finding(what)


def frames_of(robot: RobotDescription) -> list[str]:
    """Return the frames that must be connected to map."""
    heads = [
        backend.pan_frame for backend in robot.skills.values() if isinstance(backend, PanTiltDescription)
    ]
    optical = [camera.optical_frame for camera in robot.cameras.values()]
    hand = [robot.arm.base, robot.arm.tip] if robot.arm else []
    return list(dict.fromkeys((robot.frames.base, *heads, *hand, *optical)))


TYPES = {
    "nav2": "nav2_msgs/action/NavigateToPose",
    "spin": "nav2_msgs/action/Spin",
    "head": "control_msgs/action/FollowJointTrajectory",
    "moveit": "moveit_msgs/action/MoveGroup",
    "parallel": "control_msgs/action/ParallelGripperCommand",
    "command": "control_msgs/action/GripperCommand",
}
"""Action type of each kind of backend, and of each kind of gripper."""


def actions_of(backend: AnyBackend, robot: RobotDescription) -> list[tuple[str, str]]:
    """Return the names and types of the actions that a backend needs."""
    if isinstance(backend, PolicyBackend):
        return []
    if isinstance(backend, MoveItBackend):
        if robot.arm is None:
            return []
        gripper = robot.arm.gripper
        return [(robot.arm.move_action, TYPES["moveit"]), (gripper.action, TYPES[gripper.type])]
    kind = backend.type if isinstance(backend, ActionBackend) else TYPES.get(backend.backend, "")
    own = [] if isinstance(backend, PanTiltBackend) else [(backend.action, kind)]
    turning = backend.spin if isinstance(backend, PanTiltDescription) else None
    return [*own, (turning.action, TYPES["spin"])] if turning else own


def _action(what: str, name: str, kind: str, robot: RobotDescription, actual: Observations) -> Finding:
    absolute = name if name.startswith("/") else f"{robot.namespace}/{name}"
    types = actual.actions.get(absolute, ())
    if kind in types:
        return Finding(f"{what}, {absolute}")
    near = sorted(other for other, kinds in actual.actions.items() if kind in kinds)
    if types:
        mend = f"correct the backend's action in robot.yaml; {kind} is served at {near or 'no name'}"
        return Finding(f"{what}, {absolute}", f"its type is {', '.join(types)}, expected {kind}", mend)
    mend = f"set action to {near[0]} in robot.yaml" if near else f"start the node that serves {kind}"
    return Finding(f"{what}, {absolute}", "no action server", mend)


def _localisation(limits: LocalisationLimits, actual: Observations) -> Finding:
    what = "localisation"
    if actual.variances is None:
        return Finding(what, f"no pose on {limits.topic}", "start the localiser, and give it an initial pose")
    x, y, yaw = actual.variances
    finite = isfinite(x + y + yaw)
    good = finite and max(x, y) <= limits.max_position_variance and yaw <= limits.max_yaw_variance
    problem = "" if good else f"variances {x:.3f}, {y:.3f} m^2 and {yaw:.3f} rad^2 exceed the limits"
    return Finding(what, problem, "" if good else "give an initial pose in RViz and drive until it converges")
