"""Sets of detectors, as the command line names them."""

from enum import StrEnum


class DetectorSet(StrEnum):
    """Named sets of detectors: small ones whose weights are shipped, the simulator's labels, large ones."""

    EMBEDDED = "embedded"
    GROUNDTRUTH = "groundtruth"
    DEFAULT = "default"
