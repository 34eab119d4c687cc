"""The error tree's root.

OpenRALError
├── InvalidName, UnknownId          names.py
├── InvalidGeometry                 geometry/
├── InvalidDetection                detections.py
├── InvalidSceneGraph               scene_graph/
├── InvalidDocument                 documents.py
│   └── InvalidManifest             rskills/
└── one leaf beside whatever raises it, in every other package
"""

from collections.abc import Iterable


class OpenRALError(Exception):
    """Base of every error this project raises on purpose."""


def format_choices(values: Iterable[object]) -> str:
    """Values as words for an error message: ``'a', 'b'``, or ``(none)``."""
    return ", ".join(repr(str(value)) for value in values) or "(none)"
