"""Parameter files in ROS's own form: ``/node: {ros__parameters: {name: value}}``, nested, with wildcards."""

import re
from collections.abc import Iterator, Mapping

PARAMETERS = "ros__parameters"
OF_CLIENT_LIBRARY = ("use_sim_time", "start_type_description_service", "qos_overrides.")
"""Parameters, or beginnings of them, that rclpy itself declares; `ros2 param dump` writes them too."""


def ros_sections(content: Mapping[str, object], above: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """Yield (node, parameters) of each section in ROS's form; nested parameters get dotted names.

    A name without a slash stays as it is. Any other is absolute; ``*`` is one part of it, ``**`` any number.
    """
    for name, below in content.items():
        if not isinstance(below, dict):
            continue
        words = str(name)
        path = f"{above.rstrip('/')}/{words.strip('/')}" if above or "/" in words else words
        if PARAMETERS in below:
            yield path, dict(_dotted(below[PARAMETERS] or {}))
        else:
            yield from ros_sections(below, path if path.startswith("/") else f"/{path}")


def _dotted(values: object, above: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(values, dict):
        for name, value in values.items():
            yield from _dotted(value, f"{above}{name}.")
    else:
        yield above.rstrip("."), values


def matches(pattern: str, name: str) -> bool:
    """Return whether an absolute pattern such as ``/**/detector`` is one of a fully qualified name."""
    expression = re.escape(pattern).replace(r"/\*\*", "(?:/[^/]+)*").replace(r"\*", "[^/]*")
    return re.fullmatch(expression, name) is not None


def of_client_library(parameter: str) -> bool:
    """Return whether rclpy declares a parameter, so that the model of a node does not have it."""
    return parameter.startswith(OF_CLIENT_LIBRARY)
