"""Names of message types, such as "std_msgs/msg/String"."""

from collections.abc import Iterable


def type_name(message_type: type) -> str:
    """Return the name under which recordings and DDS know a message class."""
    return f"{message_type.__module__.partition('.')[0]}/msg/{message_type.__name__}"


def by_type_name(message_types: Iterable[type]) -> dict[str, type]:
    """Return message classes by the names of their types."""
    return {type_name(each): each for each in message_types}
