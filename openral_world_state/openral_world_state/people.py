"""People among the remembered objects: a person is never the same record as a thing."""

from openral_core.spatial_memory import Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
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
    observation: Observation, memory: SpatialMemory, in_image: set[str], map_epoch: int, thesaurus: Thesaurus
) -> ObjectRecord | None:
    """Return the person who walked to where a person is seen now; None if it may be someone else.

    Only one who is the only known person can be told, and who had the time to get there.

    Args:
        observation: A detection without a record near.
        in_image: Ids of the records that the same image shows.
        map_epoch: Of the poses.
        thesaurus: Relates labels.
    """
    if observation.ambiguous or observation.truncated or not is_person(observation.label, thesaurus):
        return None
    people = [record for record, _ in memory.hits(PERSON) if record.presence is not Presence.GONE]
    people = [record for record in people if record.map_epoch == map_epoch]
    if len(people) != 1 or people[0].id in in_image:
        return None
    time = max(observation.stamp - people[0].last_seen, 0.0)
    near = people[0].pose.distance(observation.pose) <= _STEP + WALKING * time
    return people[0] if near else None
