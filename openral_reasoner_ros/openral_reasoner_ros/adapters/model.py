"""The model decides on a thread of its own; its answer comes home to the executor."""

from rclpy.node import Node

from openral_reasoner.exchanges.commands import AskModel
from openral_reasoner.exchanges.events import ModelAnswered, ModelFailed
from openral_reasoner.models import Decision, Model, ModelUnavailable
from openral_reasoner.models.answers import answer_of
from openral_reasoner_ros.carrier import Post
from openral_ros.scopes import Scope
from openral_ros.worker_thread import WorkerThread


class ModelAdapter:
    """Asks one model, one decision at a time."""

    def __init__(self, scope: Scope, node: Node, post: Post, model: Model) -> None:
        self._thread = WorkerThread(scope, node, "model")
        self._post, self._model, self._node = post, model, node

    def ask(self, command: AskModel) -> None:
        """Have the model decide."""

        def on_done(outcome: Decision | Exception) -> None:
            self._post(self._event(command.call_id, outcome))

        self._thread.submit(lambda: self._model(command.context), on_done)

    def _event(self, call_id: str, outcome: Decision | Exception) -> ModelAnswered | ModelFailed:
        if isinstance(outcome, Decision | ModelUnavailable):
            return answer_of(call_id, outcome)
        self._node.get_logger().error(f"the model broke: {type(outcome).__name__}: {outcome}")
        return ModelFailed(call_id=call_id, condition="MODEL_ERROR", message=type(outcome).__name__)
