"""Where a scene graph may be written when somebody on the graph asks for it."""

from pathlib import Path

from openral_core.errors import OpenRALError


class SaveRefused(OpenRALError):
    """Base of the reasons for which a scene graph is not written."""


class NotJson(SaveRefused):
    """A file that is not named as what would be written."""

    def __init__(self, asked: str) -> None:
        super().__init__(f"{asked[:200]!r} does not end in .json: name a file that does")


class OutsideSaveFolder(SaveRefused):
    """A file that the node was not allowed to write."""

    def __init__(self, asked: str, folder: str) -> None:
        allowed = f"below {folder}" if folder else "nowhere: the parameter save_folder is empty"
        super().__init__(
            f"{asked[:200]!r} is not written: world_state may write {allowed}; "
            "name a file there, or set save_folder and configure the node again"
        )


def path_to_save(asked: str, folder: str, configured: str) -> Path:
    """The file that a request means.

    Args:
        asked: Path in the request, relative to ``folder``; "" is the configured one.
        folder: The only folder that may be written to; "" is none.
        configured: The memory's own path, which whoever started the node chose.

    Raises:
        SaveRefused: If it is no JSON file, or one outside of the folder.
    """
    name = asked or configured
    if not name.endswith(".json") or "\0" in name:
        raise NotJson(name)
    if not asked:
        return Path(configured)
    if not folder:
        raise OutsideSaveFolder(asked, folder)
    allowed = Path(folder).resolve()
    path = (allowed / asked).resolve()
    if not path.is_relative_to(allowed):
        raise OutsideSaveFolder(asked, str(allowed))
    return path
