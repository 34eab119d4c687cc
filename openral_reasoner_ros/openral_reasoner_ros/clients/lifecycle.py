"""Client of lifecycle_transition: activates and deactivates detectors."""

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.node import Node

from openral_reasoner.commands import ChangeState as ChangeStateCommand
from openral_reasoner.events import CallFailed, Event, StateChanged
from openral_reasoner_ros.clients.base import answered
from openral_reasoner_ros.dispatcher import Post
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient

_IDS = {"activate": Transition.TRANSITION_ACTIVATE, "deactivate": Transition.TRANSITION_DEACTIVATE}


class LifecycleClient:
    """Client of the change_state services of lifecycle peers, by peer id."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post, deadline: float) -> None:
        self._scope, self._node, self._post, self._deadline = scope, node, post, deadline
        self._callers: dict[str, AsyncServiceClient[ChangeState.Response]] = {}

    def register(self, peer: str, node_name: str) -> bool:
        """Create the client of a peer on first use; return True if its service is ready."""
        if peer not in self._callers:
            service = f"{node_name}/change_state"
            self._callers[peer] = AsyncServiceClient[ChangeState.Response](
                self._scope, self._node, ChangeState, service
            )
        return self._callers[peer].ready

    def change(self, command: ChangeStateCommand) -> None:
        """Request one transition."""
        caller = self._callers.get(command.peer)
        if caller is None:
            message = f"{command.peer} is not a lifecycle peer"
            self._post(CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message=message))
            return
        request = ChangeState.Request(transition=Transition(id=_IDS[command.transition]))

        def convert(response: ChangeState.Response) -> Event:
            message = "done" if response.success else f"{command.peer} rejected the transition"
            return StateChanged(call_id=command.call_id, success=bool(response.success), message=message)

        caller.call(request, self._deadline, answered(command.call_id, convert, self._post))
