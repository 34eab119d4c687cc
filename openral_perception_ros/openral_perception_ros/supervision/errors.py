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


class UnaskedReply(OpenRALError):
    """The worker answered although nothing was asked, or with the answer to another question."""

    def __init__(self, reply: str, phase: str) -> None:
        super().__init__(f"the worker sent {reply!r} while it was {phase} and was killed")


class SupervisionBroke(OpenRALError):
    """A defect of the supervising thread itself; the worker was given up for it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"supervision of the worker broke ({type(error).__name__}: {error})"[:500])
