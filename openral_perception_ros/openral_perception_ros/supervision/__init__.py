"""The node's side of a worker: one thread that serves looks and survives the worker's loss."""

from openral_perception_ros.supervision.assembly import Supervised, supervise
from openral_perception_ros.supervision.attendant import Attendant
from openral_perception_ros.supervision.errors import ModelNotLoaded
from openral_perception_ros.supervision.events import EventKind, WorkerEvent
from openral_perception_ros.supervision.keeper import WorkerKeeper
from openral_perception_ros.supervision.limits import Limits
from openral_perception_ros.supervision.restarts import Restart, RestartPolicy
from openral_perception_ros.supervision.supervisor import Supervisor
from openral_perception_ros.supervision.vitals import Phase, Vitals

__all__ = [
    "Attendant",
    "EventKind",
    "Limits",
    "ModelNotLoaded",
    "Phase",
    "Restart",
    "RestartPolicy",
    "Supervised",
    "Supervisor",
    "Vitals",
    "WorkerEvent",
    "WorkerKeeper",
    "supervise",
]
