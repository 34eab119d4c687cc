"""Honest absence: an object fades only when its place was seen empty by one who could name it."""

from openral_world_state.absences.decay import Decay
from openral_world_state.absences.doors import opening_of
from openral_world_state.absences.sights import Sight, sights
from openral_world_state.absences.vocabularies import Vocabularies

__all__ = ["Decay", "Sight", "Vocabularies", "opening_of", "sights"]
