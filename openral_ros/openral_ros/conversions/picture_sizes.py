"""How large a picture would be, before any of it is decoded."""

import struct

from openral_core.errors import OpenRALError

MOST_PIXELS = 1 << 25
"""8K UHD, 7680 x 4320, is 33.2 million; as RGB this is 100 MB."""
MOST_SCANS = 100
"""Of a progressive JPEG, each of which costs a pass over all pixels; encoders write about ten."""
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_SCAN = b"\xff\xda"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG that hold its size: SOF0 to SOF15."""
_BARE = frozenset((0x01, *range(0xD0, 0xD9)))
"""Markers without a segment behind them."""


class ImageTooLarge(OpenRALError):
    """A picture that would take more memory or time than any camera's."""

    def __init__(self, found: str, most: str) -> None:
        super().__init__(f"image of {found} is too large: at most {most} are taken")


def check_pixels(width: int, height: int) -> None:
    """Refuse what is larger than any camera's picture.

    Raises:
        ImageTooLarge: If it is.
    """
    if width * height > MOST_PIXELS:
        raise ImageTooLarge(f"{width}x{height} pixels", f"{MOST_PIXELS} pixels")


def picture_size(data: memoryview) -> tuple[int, int] | None:
    """(width, height) [px] as the header of a JPEG or PNG says; None if it is neither.

    Raises:
        ImageTooLarge: If a JPEG has more scans than any encoder writes.
    """
    head = bytes(data[:24])
    if head.startswith(_PNG) and head[12:16] == b"IHDR" and len(head) == 24:
        width, height = struct.unpack(">II", head[16:24])
        return width, height
    if head.startswith(_JPEG):
        return _jpeg_size(bytes(data))
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Source: ITU-T T.81, annex B."""
    scans = data.count(_SCAN)
    if scans > MOST_SCANS:
        raise ImageTooLarge(f"{scans} scans", f"{MOST_SCANS} scans")
    at = len(_JPEG)
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in _BARE:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None
