"""What every rSkill manifest says."""

from typing import Annotated

from pydantic import Field, StringConstraints

from openral_core.documents import Document
from openral_core.names import ID_PATTERN, Name

Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]


class Manifest(Document):
    """An rSkill's name and one line on what it is for."""

    id: Id
    aliases: tuple[Id, ...] = ()
    description: str = Field(min_length=1, max_length=200)

    @property
    def name(self) -> Name:
        """The id with everything else it answers to."""
        return Name(self.id, self.aliases)
