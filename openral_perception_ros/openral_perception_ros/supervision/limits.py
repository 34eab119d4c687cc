"""The bounds of one worker."""

from dataclasses import dataclass, field

from openral_perception_ros.supervision.restarts import RestartPolicy


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in [s]: to load the model, and for one inference before the worker counts as hung."""

    load: float = 60.0
    inference: float = 30.0
    capacity: int = 8
    restarts: RestartPolicy = field(default_factory=RestartPolicy)
