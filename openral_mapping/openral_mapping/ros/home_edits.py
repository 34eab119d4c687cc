"""Edits of the found home by people: requests on a topic, each checked, kept on the disk and answered."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError
from rclpy.node import Node
from std_msgs.msg import String

from openral_core.errors import OpenRALError
from openral_core.home_edits import EDIT_HOME, HOME_EDITS, MAX_REQUEST, EditRequest, EditState, HomeEdits
from openral_core.home_map import HomeMap
from openral_mapping.home.edits import EDIT, InvalidEdit, edits_after, load_edits, save_edits
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope


class HomeEditing:
    """Edits of the home that is found; nothing here moves the robot.

    Args:
        scope: Owns subscription and publisher.
        node: Logs what cannot be kept.
        path: File of the edits, None to keep none.
        home: Returns the home as it is shown, None if there is none yet.
        on_change: Called after an edit.

    Raises:
        InvalidEdit: If the file cannot be read.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        path: Path | None,
        home: Callable[[], HomeMap | None],
        on_change: Callable[[], None],
    ) -> None:
        self._node, self._path, self._home, self._on_change = node, path, home, on_change
        self.edits = load_edits(path) if path is not None else HomeEdits()
        self._publisher = scope.publisher(String, HOME_EDITS, LATCHED)
        scope.subscription(String, EDIT_HOME, self._on_request, RELIABLE)
        self._answer("", "")

    def _on_request(self, message: String) -> None:
        try:
            if len(message.data) > MAX_REQUEST:
                raise InvalidEdit(f"a request has at most {MAX_REQUEST} characters")
            request = EditRequest.model_validate_json(message.data)
        except (ValidationError, OpenRALError) as error:
            self._node.get_logger().warning(f"edit of the home ignored: {error}")
            return
        self._answer(request.request, self._carry_out(request.edit))

    def _carry_out(self, edit: dict[str, object]) -> str:
        """Carry out an edit; return why it could not be, "" if it was."""
        home = self._home()
        if home is None:
            return "no room has been found yet"
        try:
            changed = edits_after(self.edits, EDIT.validate_python(edit), home)
            if self._path is not None:
                save_edits(self._path, changed)
        except ValidationError as error:
            return "; ".join(": ".join((*map(str, each["loc"]), each["msg"])) for each in error.errors()[:5])
        except (OpenRALError, OSError) as error:
            return str(error)
        self.edits = changed
        self._on_change()
        return ""

    def _answer(self, request: str, error: str) -> None:
        state = EditState(edits=self.edits, request=request, error=error[:2000])
        self._publisher.publish(String(data=state.model_dump_json()))
