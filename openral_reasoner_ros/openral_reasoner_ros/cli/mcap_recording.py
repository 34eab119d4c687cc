"""Events of a reasoner in the MCAP recording of a run."""

from collections.abc import Iterator
from pathlib import Path

from mcap.exceptions import McapError
from mcap.reader import make_reader
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from openral_core.errors import OpenRALError

MCAP_FILE = "run.mcap"
EVENTS = "/openral/recording/reasoner"
"""Topic on which the recorder stores the lines of `reasoner.jsonl`."""


class UnreadableRecording(OpenRALError):
    """An MCAP file that is damaged, or whose recorder was killed."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path} cannot be read ({type(error).__name__}); run: openral recover {path}")


def mcap_lines(path: Path) -> Iterator[str]:
    """Yield the recorded lines of events in order.

    Raises:
        UnreadableRecording: If the file is torn or damaged.
    """
    try:
        with path.open("rb") as file:
            for _, _, message in make_reader(file).iter_messages(topics=[EVENTS]):
                yield deserialize_message(message.data, String).data
    except (McapError, EOFError, ValueError) as error:
        raise UnreadableRecording(path, error) from error
