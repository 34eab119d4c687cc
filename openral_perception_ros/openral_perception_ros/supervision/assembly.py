"""One supervised worker, put together."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from openral_core.errors import OpenRALError
from openral_perception_ros.looks import WaitingLine
from openral_perception_ros.supervision.attendant import Attendant, Decode
from openral_perception_ros.supervision.events import WorkerEvent
from openral_perception_ros.supervision.keeper import WorkerKeeper
from openral_perception_ros.supervision.limits import Limits
from openral_perception_ros.supervision.supervisor import Supervisor
from openral_perception_ros.supervision.vitals import Vitals
from openral_perception_ros.workers.commands import WorkerCommand
from openral_perception_ros.workers.messages import Load, Ready
from openral_perception_ros.workers.process import WorkerProcess


@dataclass(frozen=True, slots=True, eq=False)
class Supervised:
    """``ready`` ends when the model is loaded, or with the error why it will not be."""

    supervisor: Supervisor
    ready: "Future[Ready]"
    vitals: Vitals
    line: WaitingLine


def supervise(
    command: WorkerCommand,
    load: Load,
    limits: Limits,
    decode: Decode,
    on_event: Callable[[WorkerEvent], None],
    on_end: Callable[[Exception], None] | None = None,
) -> Supervised:
    """Start a worker under supervision.

    Both are called on the supervising thread: ``on_event`` when something happens to the worker, ``on_end``
    when supervision itself ends without having been stopped.
    """
    ready: Future[Ready] = Future()
    open_worker = partial(WorkerProcess, command.line, command.variables)
    keeper = WorkerKeeper(open_worker, load, limits, partial(_settle, ready), on_event)
    line = WaitingLine(limits.capacity)
    rskill_id = load.manifest.id
    supervisor = Supervisor(Attendant(keeper, line, decode, rskill_id), rskill_id, on_end or _unheard)
    return Supervised(supervisor, ready, keeper.vitals, line)


def _unheard(error: Exception) -> None:
    """Nobody asked to be told."""


def _settle(ready: "Future[Ready]", outcome: Ready | OpenRALError) -> None:
    if isinstance(outcome, Ready):
        ready.set_result(outcome)
    else:
        ready.set_exception(outcome)
