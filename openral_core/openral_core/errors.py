"""Root of the error tree.

OpenRALError
├── InvalidName, UnknownId          rskills.py
├── InvalidGeometry                 geometry.py
├── InvalidDetection                detectors.py
├── InvalidSceneGraph               spatial_memory.py
├── InvalidDocument                 documents.py
│   └── InvalidManifest             rskills.py
└── further leaves in the modules that raise them
"""

from collections.abc import Iterable


class OpenRALError(Exception):
    """Base of every error that this project raises deliberately."""


def format_choices(values: Iterable[object]) -> str:
    """Format values for an error message: ``'a', 'b'``, or ``(none)``."""
    return ", ".join(repr(str(value)) for value in values) or "(none)"
