"""Edits of a home that a robot found, as they are asked for and published: shared by mapper and console."""

from typing import Annotated

from pydantic import StringConstraints

from openral_core.documents import Document
from openral_core.home_map import Fixture, NoGoZone, Place

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
EDIT_HOME, HOME_EDITS = "openral/edit_home", "openral/home_edits"
"""Topics of requests, JSON of `EditRequest`, and of the edits with the last answer, JSON of `EditState`."""
MAX_REQUEST = 64_000
"""Longest request [characters]."""


class HomeEdits(Document):
    """Every edit of one home; names by the ids of rooms and furniture."""

    room_names: dict[str, Name] = {}
    furniture_names: dict[str, Name] = {}
    places: tuple[Place, ...] = ()
    no_go_zones: tuple[NoGoZone, ...] = ()
    accepted: tuple[Fixture, ...] = ()
    rejected: tuple[Fixture, ...] = ()


class EditRequest(Document):
    """A request: an id that its answer repeats, and the JSON of an edit."""

    request: str
    edit: dict[str, object]


class EditState(Document):
    """The edits, and the answer to the last request: ``error`` is "" if it was carried out."""

    edits: HomeEdits
    request: str = ""
    error: str = ""
