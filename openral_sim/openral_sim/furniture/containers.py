"""The container of a fixture whose kind needs one."""

from openral_core.errors import OpenRALError
from openral_core.maps import Container, Fixture


class NotAContainer(OpenRALError):
    """A fixture of a hollow kind has no `container` in the map."""

    def __init__(self, fixture: Fixture) -> None:
        super().__init__(f"fixture '{fixture.id}' of kind '{fixture.kind}' needs a `container` in the map")


def container_of(fixture: Fixture) -> Container:
    """The fixture's container.

    Raises:
        NotAContainer: If it has none.
    """
    if fixture.container is None:
        raise NotAContainer(fixture)
    return fixture.container
