"""Interface between the web server and what it shows: a running robot or a recording."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from openral_console.sections import Json, Sections
from openral_core.errors import OpenRALError


class ConsoleError(OpenRALError):
    """Base of errors that a page shows; ``status`` is the HTTP status."""

    status = 400


class RejectedCommand(ConsoleError):
    """A request that cannot be understood."""


class AnswerTimeout(ConsoleError):
    """A node that did not answer in time."""

    status = 504

    def __init__(self, who: str, seconds: float) -> None:
        super().__init__(f"{who} did not answer within {seconds:g} s; is its node active?")


class Broken(ConsoleError):
    """A command over which the console itself broke."""

    status = 500

    def __init__(self) -> None:
        super().__init__("the console broke over this request; its log says how")


class NothingToShow(ConsoleError):
    """A camera without an image."""

    status = 404


@dataclass(frozen=True, slots=True)
class JpegImage:
    """One image of a camera: JPEG data, the frame id and the stamp [s] of its header."""

    jpeg: bytes
    frame_id: str
    stamp: float


class ConsoleSource(Protocol):
    """Content of the console. Methods may be called from any thread; each ends within its timeout."""

    sections: Sections
    is_live: bool

    async def frame(self, camera: str, after: float, time: float) -> JpegImage:
        """Return an image of a camera.

        Args:
            camera: Id of the camera.
            after: Stamp of the image that the page has [s]; wait for another one.
            time: Time in the recording [s]; a robot ignores it.

        Raises:
            NothingToShow: If there is none within two seconds.
        """

    def picture(self, name: str, time: float) -> JpegImage:
        """Return the picture of a remembered object.

        Args:
            time: Time in the recording [s]; a robot ignores it.

        Raises:
            NothingToShow: If there is none.
        """

    def watch(self) -> None:
        """Keep transforms, intrinsics and robot description up to date for the next seconds."""

    def at(self, time: float) -> str:
        """Return all sections at a time of the recording [s], as JSON."""

    async def command(self, name: str, values: Mapping[str, Json]) -> Json:
        """Carry out a command.

        Raises:
            ConsoleError: If it is unknown, invalid, or not answered.
        """

    def close(self) -> None:
        """Release what it holds."""
