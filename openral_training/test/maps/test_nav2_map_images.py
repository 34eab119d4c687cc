"""Images of map files in every depth, cell by cell beside a statement of Nav2's rules."""

import struct
import zlib
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN
from openral_training.maps.nav2_map import load_nav2_map

MAP_SAVER_UNKNOWN = 205
GREY = np.arange(256).reshape(16, 16)
"""Every grey value of 8 bits, once."""
COLOURS = np.stack((GREY, GREY[::-1], GREY.T), axis=-1)
ALPHA = np.resize([255, 255, 254, 0, 128], (16, 16))
TRANSPARENT = 254
Grid = NDArray[np.int_]


def nav2_cell(grey: int, opaque: bool, mode: str, negate: bool, free: float, occupied: float) -> int:
    """Return Nav2's value of one pixel in [%], -1 if unknown; single precision, as in its map_server."""
    if mode == "raw":
        return grey if grey <= 100 else -1
    shade = np.float32(grey) / np.float32(255)
    occupancy = shade if negate else np.float32(1) - shade
    if not opaque:
        return -1
    if occupancy <= np.float32(free):
        return 0
    if occupancy >= np.float32(occupied):
        return 100
    if mode == "trinary":
        return -1
    return round(float((occupancy - np.float32(free)) / np.float32(occupied - free)) * 100)


def check_cells(cells: Grid, grey: Grid, opaque: Grid, rules: tuple[str, bool, float, float]) -> None:
    """Check a map against Nav2's rules: the same, or unknown where Nav2 takes a doubtful cell for free."""
    mode, negate, free, occupied = rules
    for row, column in np.ndindex(grey.shape):
        value = nav2_cell(int(grey[row, column]), bool(opaque[row, column]), mode, negate, free, occupied)
        cell = cells[::-1][row, column]
        where = f"grey {grey[row, column]}, opaque {opaque[row, column]}, {rules}: Nav2 has {value}"
        doubtful = (mode == "trinary" and not negate and grey[row, column] == MAP_SAVER_UNKNOWN) or (
            mode == "scale" and value == 0 and not _is_below(int(grey[row, column]), negate, free)
        )
        if mode == "raw":
            expected = (
                FREE if 0 <= value < 25 and opaque[row, column] else OCCUPIED if value >= 65 else UNKNOWN
            )
        else:
            expected = {0: FREE, 100: OCCUPIED}.get(value, UNKNOWN)
        assert cell == (UNKNOWN if doubtful and expected == FREE else expected), where


def _is_below(grey: int, negate: bool, free: float) -> bool:
    return nav2_cell(grey, True, "trinary", negate, free, 1.0) == 0


def png(pixels: Grid, depth: int, kind: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """Encode a PNG file of any depth (bits) and kind (0 grey, 2 colours, 3 palette, 4 and 6 with alpha)."""
    height, width = pixels.shape[:2]
    rows = pixels.reshape(height, -1)
    if depth == 16:
        lines = [row.astype(">u2").tobytes() for row in rows]
    else:
        bits = (rows[..., None] >> np.arange(depth - 1, -1, -1)) & 1
        lines = [np.packbits(row.ravel()).tobytes() for row in bits]
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + line for line in lines))
    parts = [(b"IHDR", header), *chunks, (b"IDAT", body), (b"IEND", b"")]
    encoded = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(encoded)


def pnm(magic: str, values: Grid, maximum: int) -> bytes:
    """Encode a PGM or PPM file: plain (P2, P3) or binary (P5, P6)."""
    head = f"{magic}\n# CREATOR\n{values.shape[1]} {values.shape[0]}\n{maximum}\n".encode()
    if magic in ("P2", "P3"):
        return head + b"".join(b"%d\n" % value for value in values.ravel())
    return head + values.astype(">u2" if maximum > 255 else np.uint8).tobytes()


def luma(colours: Grid) -> Grid:
    """Return the grey of colours: ITU-R BT.601, rounded to 16 bits, then down to 8."""
    wide = np.floor(colours @ (0.299, 0.587, 0.114) * 257 + 0.5)
    return np.asarray(wide // 257, int)


def encode(path: Path, pixels: Grid) -> None:
    """Write pixels of 8 bits in the format that the ending names."""
    image = Image.fromarray(pixels.astype(np.uint8))
    image.save(path, lossless=True) if path.suffix == ".webp" else image.save(path)


WIDE = GREY * 257 + np.resize([0, 255, 128, 1], (16, 16)) * (GREY < 255)
"""The same greys in 16 bits, each somewhere within its step."""
PALETTE = (b"PLTE", np.repeat(np.arange(255, -1, -1, dtype=np.uint8), 3).tobytes())
STEPS = GREY % 16
OPAQUE = np.ones((16, 16), bool)

IMAGES: dict[str, tuple[Callable[[Path], object], Grid, Grid]] = {
    "1.png": (lambda p: p.write_bytes(png(GREY % 2, 1, 0)), GREY % 2 * 255, OPAQUE),
    "2.png": (lambda p: p.write_bytes(png(GREY % 4, 2, 0)), GREY % 4 * 85, OPAQUE),
    "4.png": (lambda p: p.write_bytes(png(STEPS, 4, 0)), STEPS * 17, OPAQUE),
    "8.png": (lambda p: p.write_bytes(png(GREY, 8, 0)), GREY, OPAQUE),
    "16.png": (lambda p: p.write_bytes(png(WIDE, 16, 0)), GREY, OPAQUE),
    "gamma.png": (
        lambda p: p.write_bytes(png(GREY, 8, 0, (b"gAMA", struct.pack(">I", 30_000)))),
        GREY,
        OPAQUE,
    ),
    "grey_alpha.png": (
        lambda p: p.write_bytes(png(np.dstack((GREY, ALPHA)), 8, 4)),
        GREY,
        ALPHA == 255,
    ),
    "grey_alpha_16.png": (
        lambda p: p.write_bytes(png(np.dstack((WIDE, ALPHA * 257)), 16, 4)),
        GREY,
        ALPHA == 255,
    ),
    "rgb.png": (lambda p: p.write_bytes(png(COLOURS, 8, 2)), luma(COLOURS), OPAQUE),
    "rgb_16.png": (lambda p: p.write_bytes(png(COLOURS * 257, 16, 2)), luma(COLOURS), OPAQUE),
    "rgba.png": (
        lambda p: p.write_bytes(png(np.dstack((COLOURS, ALPHA)), 8, 6)),
        luma(COLOURS),
        ALPHA == 255,
    ),
    "rgba_16.png": (
        lambda p: p.write_bytes(png(np.dstack((COLOURS, ALPHA)) * 257, 16, 6)),
        luma(COLOURS),
        ALPHA == 255,
    ),
    "palette.png": (lambda p: p.write_bytes(png(GREY, 8, 3, PALETTE)), 255 - GREY, OPAQUE),
    "palette_alpha.png": (
        lambda p: p.write_bytes(png(GREY, 8, 3, PALETTE, (b"tRNS", bytes((0, 128, 255))))),
        255 - GREY,
        GREY > 1,
    ),
    "transparent_2.png": (
        lambda p: p.write_bytes(png(GREY % 4, 2, 0, (b"tRNS", b"\0\3"))),
        GREY % 4 * 85,
        GREY % 4 != 3,
    ),
    "transparent_8.png": (
        lambda p: p.write_bytes(png(GREY, 8, 0, (b"tRNS", struct.pack(">H", TRANSPARENT)))),
        GREY,
        GREY != TRANSPARENT,
    ),
    "transparent_16.png": (
        lambda p: p.write_bytes(png(WIDE, 16, 0, (b"tRNS", struct.pack(">H", WIDE[15, 14])))),
        GREY,
        GREY != TRANSPARENT,
    ),
    "transparent_rgb.png": (
        lambda p: p.write_bytes(png(COLOURS, 8, 2, (b"tRNS", struct.pack(">HHH", *COLOURS[15, 15])))),
        luma(COLOURS),
        (COLOURS[15, 15] != COLOURS).any(axis=-1),
    ),
    "plain.pgm": (lambda p: p.write_bytes(pnm("P2", GREY, 255)), GREY, OPAQUE),
    "binary.pgm": (lambda p: p.write_bytes(pnm("P5", GREY, 255)), GREY, OPAQUE),
    "binary_16.pgm": (lambda p: p.write_bytes(pnm("P5", WIDE, 65535)), GREY, OPAQUE),
    "plain_16.pgm": (lambda p: p.write_bytes(pnm("P2", WIDE, 65535)), GREY, OPAQUE),
    "maximum_15.pgm": (lambda p: p.write_bytes(pnm("P5", STEPS, 15)), STEPS * 17, OPAQUE),
    "maximum_100.pgm": (lambda p: p.write_bytes(pnm("P5", GREY % 101, 100)), GREY % 101 * 255 // 100, OPAQUE),
    "maximum_1000.pgm": (lambda p: p.write_bytes(pnm("P2", GREY * 3, 1000)), GREY * 3 * 255 // 1000, OPAQUE),
    "colours.ppm": (lambda p: p.write_bytes(pnm("P6", COLOURS, 255)), luma(COLOURS), OPAQUE),
    "colours_16.ppm": (lambda p: p.write_bytes(pnm("P6", COLOURS * 257, 65535)), luma(COLOURS), OPAQUE),
    "bits.pbm": (
        lambda p: p.write_bytes(b"P4 16 16\n" + np.packbits((GREY % 2).astype(bool), axis=1).tobytes()),
        255 - GREY % 2 * 255,
        OPAQUE,
    ),
    "grey.bmp": (lambda p: encode(p, GREY), GREY, OPAQUE),
    "colours.bmp": (lambda p: encode(p, COLOURS), luma(COLOURS), OPAQUE),
    "grey.gif": (lambda p: encode(p, GREY), GREY, OPAQUE),
    "grey.tif": (lambda p: encode(p, GREY), GREY, OPAQUE),
    "grey.webp": (lambda p: encode(p, GREY), GREY, OPAQUE),
}
THRESHOLDS = ((0.25, 0.65), (0.196, 0.65), (0.2, 0.6), (0.0, 1.0), (0.1, 0.9))


@pytest.mark.parametrize("name", IMAGES)
def test_each_cell_of_an_image_is_what_nav2_has(name: str, tmp_path: Path) -> None:
    write, grey, opaque = IMAGES[name]
    write(tmp_path / name)
    deep_raw = name in ("16.png", "grey_alpha_16.png", "transparent_16.png", "binary_16.pgm", "plain_16.pgm")
    for mode, negate, (free, occupied) in product(("trinary", "scale", "raw"), (False, True), THRESHOLDS):
        if mode == "raw" and (deep_raw or name.startswith("maximum")):
            continue
        (tmp_path / "map.yaml").write_text(
            f"image: {name}\nresolution: 0.05\norigin: [0, 0, 0]\nmode: {mode}\nnegate: {int(negate)}\n"
            f"free_thresh: {free}\noccupied_thresh: {occupied}\n"
        )
        check_cells(load_nav2_map(tmp_path / "map.yaml").cells, grey, opaque, (mode, negate, free, occupied))


@pytest.mark.parametrize(
    "lines",
    [
        "mode: Trinary\nnegate: 0",
        "mode: TRINARY\nnegate: false",
        "mode: 'trinary'\nnegate: '0'\nfree_thresh: '0.25'",
        "lethal: 100\nspeed_limits: {kitchen: 0.3}",
    ],
)
def test_what_nav2_accepts_in_the_yaml_file_is_accepted(lines: str, tmp_path: Path) -> None:
    encode(tmp_path / "a.png", GREY)
    plain = "image: a.png\nresolution: 5e-2\norigin: [0, 0, 0]\n"
    (tmp_path / "plain.yaml").write_text(plain)
    (tmp_path / "map.yaml").write_text(plain + lines)
    expected = load_nav2_map(tmp_path / "plain.yaml").cells
    assert np.array_equal(load_nav2_map(tmp_path / "map.yaml").cells, expected)


def test_what_is_at_both_thresholds_is_occupied(tmp_path: Path) -> None:
    encode(tmp_path / "a.png", np.full((1, 1), 102))
    (tmp_path / "map.yaml").write_text(
        "image: a.png\nresolution: 0.05\norigin: [0, 0, 0]\nfree_thresh: 0.6\noccupied_thresh: 0.6\n"
    )
    assert load_nav2_map(tmp_path / "map.yaml").cells.tolist() == [[OCCUPIED]]
