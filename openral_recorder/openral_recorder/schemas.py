"""Message definitions as MCAP wants them: the type's text, followed by those of every type it contains."""

from functools import cache
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from openral_core.errors import OpenRALError
from openral_recorder.writer import MessageSchema

SEPARATOR = "=" * 80
PRIMITIVES = frozenset({
    "bool", "byte", "char", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32",
    "int64", "uint64", "string", "wstring",
})  # fmt: skip


class NoDefinition(OpenRALError):
    """A message type whose definition is not installed."""

    def __init__(self, message_type: str, path: Path | None) -> None:
        where = f"{path} does not exist" if path else "its package is not in this environment"
        super().__init__(f"no definition of {message_type}: {where}")


@cache
def ros_schema(message_type: str) -> MessageSchema:
    """Return the definition of a ROS type, such as ``std_msgs/msg/String``.

    Raises:
        NoDefinition: If its file, or that of a type it contains, is not installed.
    """
    package, _, name = message_type.partition("/msg/")
    root = f"{package}/{name}"
    texts = {root: _definition(root)}
    pending = [root]
    while pending:
        for contained in _contained(texts[current := pending.pop()], current.split("/")[0]):
            if contained not in texts:
                texts[contained] = _definition(contained)
                pending.append(contained)
    parts = [texts.pop(root), *(f"{SEPARATOR}\nMSG: {item}\n{text}" for item, text in texts.items())]
    return MessageSchema(message_type, "\n".join(parts))


def _definition(name: str) -> str:
    package, _, message = name.partition("/")
    try:
        path = Path(get_package_share_directory(package)) / "msg" / f"{message}.msg"
    except (PackageNotFoundError, ValueError) as error:
        raise NoDefinition(name, None) from error
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise NoDefinition(name, path) from error


def _contained(text: str, package: str) -> list[str]:
    """Return the types of a definition's fields that have a definition of their own."""
    lines = (line.split("#", 1)[0].split() for line in text.splitlines())
    types = (words[0].split("[", 1)[0].split("<=", 1)[0] for words in lines if words)
    return [type_ if "/" in type_ else f"{package}/{type_}" for type_ in types if type_ not in PRIMITIVES]
