"""Types of names in documents: topics, services, actions and frames of ROS."""

from typing import Annotated

from pydantic import StringConstraints

_NAME = r"/?[a-zA-Z_][a-zA-Z0-9_]*(/[a-zA-Z_][a-zA-Z0-9_]*)*"

RosName = Annotated[str, StringConstraints(pattern=rf"^{_NAME}$")]
"""Name of a topic, service or action; without a slash in front it is in the robot's namespace."""
OptionalName = Annotated[str, StringConstraints(pattern=rf"^$|^{_NAME}$")]
InterfaceType = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*/action/[A-Z][A-Za-z0-9]*$")]
Frame = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9_][a-zA-Z0-9_/]*$")]
CameraId = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z][a-zA-Z0-9_]*$")]
