"""Names of message types, such as "std_msgs/msg/String", and messages read from bytes."""

from collections.abc import Iterable
from typing import TypeVar

from rclpy.serialization import deserialize_message

from openral_core.errors import OpenRALError

AnyMessage = TypeVar("AnyMessage")


def type_name(message_type: type) -> str:
    """Return the name under which recordings and DDS know a message class."""
    return f"{message_type.__module__.partition('.')[0]}/msg/{message_type.__name__}"


def by_type_name(message_types: Iterable[type]) -> dict[str, type]:
    """Return message classes by the names of their types."""
    return {type_name(each): each for each in message_types}


class DamagedMessage(OpenRALError):
    """Bytes that are no message of their type."""

    def __init__(self, message_type: type) -> None:
        super().__init__(f"these bytes are no {type_name(message_type)}")


def decoded(data: bytes, message_type: type[AnyMessage]) -> AnyMessage:
    """Return the message in serialised bytes that came from outside.

    Raises:
        DamagedMessage: If they are none.
    """
    try:
        message: AnyMessage = deserialize_message(data, message_type)
    except (RuntimeError, ValueError, TypeError, MemoryError) as error:  # RuntimeError: of the middleware
        raise DamagedMessage(message_type) from error
    return message
