"""People among the remembered objects: a person is never the same record as a thing."""

from collections.abc import Sequence

from openral_core.text import TermRelation, Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.record import ObjectRecord

PERSON = "person"
"""Label of people; detectors and data sets agree on it."""
WALKING = 1.5
"""Speed of people [m/s]."""
_STEP = 0.6
"""Distance that is walked without time passing [m]: errors of the two positions."""
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


def walked_here(
    observation: Observation, people: Sequence[ObjectRecord], seen: set[str]
) -> ObjectRecord | None:
    """Return the one person who can have walked to where a person is seen now.

    Several who can, or one who is seen elsewhere in the same image, are no reason to move anyone: it is
    someone else.

    Args:
        observation: A person without a record near.
        people: Records of people.
        seen: Ids of the records that the same image shows.
    """
    able = [
        record
        for record in people
        if record.id not in seen
        and record.pose.distance(observation.pose)
        <= _STEP + WALKING * max(observation.stamp - record.last_seen, 0.0)
    ]
    return able[0] if len(able) == 1 and len(people) == 1 else None
