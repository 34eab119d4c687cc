"""Root of the error tree.

OpenRALError
├── InvalidName, UnknownId          names.py
├── InvalidGeometry                 geometry/
├── InvalidDetection                detections.py
├── InvalidSceneGraph               scene_graph.py
├── InvalidDocument                 documents.py
│   └── InvalidManifest             rskills/
└── further leaves in the modules that raise them
"""

from collections.abc import Iterable


class OpenRALError(Exception):
    """Base of every error that this project raises deliberately."""


def format_choices(values: Iterable[object]) -> str:
    """Format values for an error message: ``'a', 'b'``, or ``(none)``."""
    return ", ".join(repr(str(value)) for value in values) or "(none)"
