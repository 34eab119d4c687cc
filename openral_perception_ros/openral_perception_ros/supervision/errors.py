"""How an activation fails."""

from openral_core.errors import OpenRALError
from openral_perception_ros.workers.messages import Failed


class ModelNotLoaded(OpenRALError):
    """The worker could not load the model, and says why."""

    def __init__(self, rskill_id: str, failed: Failed) -> None:
        self.kind = failed.kind
        super().__init__(f"{rskill_id!r} was not loaded: {failed.message}")


class LoadingAbandoned(OpenRALError):
    """The node stopped the worker while it was loading."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"{rskill_id!r} was not loaded: its node stopped meanwhile")
