"""What a built world holds, by id: objects, furniture, people; and the names they have in the model."""

from openral_sim.entities.world_furniture import WorldFurniture
from openral_sim.entities.world_object import WorldObject
from openral_sim.entities.world_person import WorldPerson

__all__ = ["WorldFurniture", "WorldObject", "WorldPerson"]
