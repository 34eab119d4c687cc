"""rSkill ids, their short aliases, and the slugs that are legal ROS names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from openral_core.errors import OpenRALError, format_choices

ID_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,63}$"


class InvalidName(OpenRALError):
    """An id with characters that ids cannot have."""

    def __init__(self, what: str, name: str) -> None:
        super().__init__(
            f"{what} {name!r} is not valid: "
            "use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a-z or 0-9"
        )


class UnknownId(OpenRALError):
    """An id, alias or slug that does not exist."""

    def __init__(self, what: str, asked: str, known: Iterable[str]) -> None:
        self.asked = asked
        self.known = tuple(known)
        super().__init__(f"unknown {what} {asked!r}: expected one of {format_choices(self.known)}")


def slug(rskill_id: str) -> str:
    """Return the id as a ROS name: every character outside ``[a-z0-9_]`` becomes ``_``."""
    return re.sub(r"[^a-z0-9_]", "_", rskill_id.lower())


@dataclass(frozen=True, slots=True)
class Name:
    """An id with its aliases and slug."""

    id: str
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (self.id, *self.aliases):
            if not re.fullmatch(ID_PATTERN, name):
                raise InvalidName("id", name)

    @property
    def slug(self) -> str:
        """The id as a legal ROS name."""
        return slug(self.id)

    def answers_to(self, name: str) -> bool:
        """Test if ``name`` is this id, one of its aliases or its slug."""
        return name in (self.id, self.slug, *self.aliases)


def find_named(what: str, asked: str, names: Iterable[Name]) -> Name:
    """Return the name whose id, alias or slug is ``asked``.

    Raises:
        UnknownId: If there is none; the message lists every id and alias.
    """
    known = tuple(names)
    for name in known:
        if name.answers_to(asked):
            return name
    raise UnknownId(what, asked, (valid for name in known for valid in (name.id, *name.aliases)))
