"""People among the remembered objects: a person is never the same record as a thing."""

from openral_core.text import TermRelation, Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.record import ObjectRecord

PERSON = "person"
"""Label of people; detectors and data sets agree on it."""
_BOTH = (TermRelation.EQUAL, TermRelation.NARROWER, TermRelation.BROADER)


def is_person(label: str, thesaurus: Thesaurus) -> bool:
    """Return True if a label names a person, or what might be one."""
    return label == PERSON or thesaurus.relation(PERSON, label) in _BOTH


def are_person_and_thing(observation: Observation, record: ObjectRecord, thesaurus: Thesaurus) -> bool:
    """Return True if one is a person and the other is not, by any label of the same box.

    People fill the space of what they hold or sit on; in one record the person would take its label, and "me"
    would be unknown.
    """
    labels = (observation.label, *(label for label, _ in observation.alternatives))
    if is_person(record.label, thesaurus):
        return not any(is_person(label, thesaurus) for label in labels)
    return is_person(observation.label, thesaurus)
