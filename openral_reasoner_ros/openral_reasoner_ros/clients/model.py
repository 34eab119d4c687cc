"""The model decides on a thread of its own; its answer comes home to the executor."""
# MERGED Deadlines of the mission core.

import threading
from functools import partial

from rclpy.node import Node

from openral_reasoner.commands import AskModel, ClearDeadline, SetDeadline
from openral_reasoner.events import DeadlinePassed, ModelAnswered, ModelFailed
from openral_reasoner.llm.base import Decision, Model, ModelUnavailable, answer_of
from openral_reasoner_ros.dispatcher import Post
from openral_ros.resources import ResourceScope
from openral_ros.timeouts import TimeoutScheduler

MAX_STUCK = 4
"""Calls that may run beyond their deadline, each with its thread, before no further one is begun."""


class ModelClient:
    """Asks one model. A call that does not come back holds up no later one: each has a thread of its own.

    The core's deadline ends the wait for an answer; an answer that comes later belongs to no call of it.
    """

    def __init__(self, scope: ResourceScope, node: Node, post: Post, model: Model) -> None:
        self._post, self._model, self._node = post, model, node
        self._running: list[threading.Thread] = []
        self._closed = False
        scope.callback(self._close)

    def ask(self, command: AskModel) -> None:
        """Have the model decide."""
        self._running = [thread for thread in self._running if thread.is_alive()]
        if len(self._running) >= MAX_STUCK:
            words = (
                f"{len(self._running)} earlier calls have not come back; deactivate and activate the reasoner"
            )
            self._post(ModelFailed(call_id=command.call_id, condition="MODEL_STUCK", message=words))
            return
        # A daemon: a call that never comes back keeps no process alive.
        thread = threading.Thread(target=self._decide, args=(command,), name="model", daemon=True)
        self._running.append(thread)
        thread.start()

    def _close(self) -> None:
        self._closed = True

    def _decide(self, command: AskModel) -> None:
        outcome: Decision | Exception
        try:
            outcome = self._model(command.context)
        except Exception as error:
            outcome = error
        executor = self._node.executor
        if executor is not None and not self._closed:
            executor.create_task(self._answer, command.call_id, outcome)

    def _answer(self, call_id: str, outcome: Decision | Exception) -> None:
        if not self._closed:
            self._post(self._event(call_id, outcome))

    def _event(self, call_id: str, outcome: Decision | Exception) -> ModelAnswered | ModelFailed:
        if isinstance(outcome, Decision | ModelUnavailable):
            return answer_of(call_id, outcome)
        self._node.get_logger().error(f"the model broke: {type(outcome).__name__}: {outcome}")
        return ModelFailed(call_id=call_id, condition="MODEL_ERROR", message=type(outcome).__name__)


class DeadlineClient:
    """One deadline per call."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post) -> None:
        self._deadlines, self._post = TimeoutScheduler(scope, node), post

    def set(self, command: SetDeadline) -> None:
        """Start, or start anew."""
        passed = partial(self._post, DeadlinePassed(call_id=command.call_id))
        self._deadlines.set(command.call_id, command.seconds, passed)

    def clear(self, command: ClearDeadline) -> None:
        """It matters no more."""
        self._deadlines.drop(command.call_id)
