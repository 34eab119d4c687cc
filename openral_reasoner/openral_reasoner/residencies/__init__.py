"""Who may hold memory now. Pure: time comes in as ``now`` [s]."""

from openral_reasoner.residencies.chronicle import Chronicle
from openral_reasoner.residencies.plan import Room, Transition, plan_residency
from openral_reasoner.residencies.refusals import NoRoom, ResidencyRefused, TooSoon, UnknownResident
from openral_reasoner.residencies.residents import Resident
from openral_reasoner.residencies.rules import ResidencyRules

__all__ = [
    "Chronicle",
    "NoRoom",
    "ResidencyRefused",
    "ResidencyRules",
    "Resident",
    "Room",
    "TooSoon",
    "Transition",
    "UnknownResident",
    "plan_residency",
]
