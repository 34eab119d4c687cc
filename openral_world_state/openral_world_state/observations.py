"""One look's worth of things, lifted to the map."""

from dataclasses import dataclass, field

from openral_core.geometry import Pose


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing as one detector saw it.

    ``size`` [m]; ``covariance`` of the position [m^2], row-major (9,); ``stamp`` [s]; ``track`` is the
    detector's hint; ``asked`` when these very words were asked for, which counts more.
    """

    label: str
    score: float
    pose: Pose
    size: tuple[float, float, float]
    covariance: tuple[float, ...]
    stamp: float
    source: str
    truncated: bool = False
    asked: bool = False
    track: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything one detector saw in one image."""

    stamp: float
    source: str
    observations: tuple[Observation, ...] = ()
    refused: tuple[str, ...] = field(default=())
