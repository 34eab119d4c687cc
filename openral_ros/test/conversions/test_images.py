"""Conversions of images: encodings, padded rows, compressed data and limits."""

import io
import struct
import zlib

import cv2
import numpy as np
import pytest
from PIL import ExifTags, Image

sensor = pytest.importorskip("sensor_msgs.msg")
from openral_ros.conversions.images import (
    LAYOUTS,
    MAX_SCANS,
    ImageTooLarge,
    MalformedImage,
    UndecodableImage,
    UnsupportedEncoding,
    compressed_size,
    depth_of,
    image_message,
    image_view,
    rgb_of,
    rgb_of_compressed,
)

RED = np.zeros((4, 6, 3), np.uint8)
RED[..., 0] = 200


@pytest.mark.parametrize("encoding", sorted(LAYOUTS))
def test_pixels_survive_the_way_through_a_message(encoding: str) -> None:
    layout = LAYOUTS[encoding]
    shape = (5, 7) if layout.channels == 1 else (5, 7, layout.channels)
    pixels = np.arange(np.prod(shape)).reshape(shape).astype(layout.dtype)
    message = image_message(pixels, encoding, 1.5, "camera")
    assert np.array_equal(image_view(message), pixels)
    assert (message.width, message.height, message.header.stamp.sec) == (7, 5, 1)


def test_padded_rows_are_cut() -> None:
    padded = np.full((4, 32), 9, np.uint8)
    padded[:, :18] = RED.reshape(4, 18)
    message = sensor.Image(height=4, width=6, encoding="rgb8", step=32, data=padded.tobytes())
    assert np.array_equal(rgb_of(message), RED)


def test_big_endian_depth_is_read() -> None:
    millimetres = np.full((2, 2), 1500, ">u2")
    message = sensor.Image(
        height=2, width=2, encoding="16UC1", step=4, is_bigendian=1, data=millimetres.tobytes()
    )
    assert np.allclose(depth_of(message), 1.5)


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8", "8UC3"])
def test_red_stays_red(encoding: str) -> None:
    pixels = RED if encoding == "rgb8" else RED[..., ::-1]
    assert np.array_equal(rgb_of(image_message(pixels, encoding, 0.0, "")), RED)


@pytest.mark.parametrize(("encoding", "value"), [("mono8", 200), ("8UC1", 200), ("mono16", 200 << 8)])
def test_grey_has_three_equal_channels(encoding: str, value: int) -> None:
    pixels = np.full((3, 3), value, LAYOUTS[encoding].dtype)
    assert (rgb_of(image_message(pixels, encoding, 0.0, "")) == 200).all()


@pytest.mark.parametrize(("encoding", "order"), [("rgba8", [0, 1, 2]), ("bgra8", [2, 1, 0])])
def test_alpha_is_left_out(encoding: str, order: list[int]) -> None:
    pixels = np.dstack([RED[..., order], np.full((4, 6), 7, np.uint8)])
    assert np.array_equal(rgb_of(image_message(pixels, encoding, 0.0, "")), RED)


@pytest.mark.parametrize("encoding", ["bayer_rggb8", "bayer_bggr8", "bayer_gbrg8", "bayer_grbg8"])
def test_a_mosaic_gives_the_colours_that_made_it(encoding: str) -> None:
    colour = {"r": 200, "g": 90, "b": 30}
    pattern = [colour[letter] for letter in encoding.removeprefix("bayer_").removesuffix("8")]
    mosaic = np.tile(np.array(pattern, np.uint8).reshape(2, 2), (6, 8))
    rgb = rgb_of(image_message(mosaic, encoding, 0.0, ""))
    assert rgb.shape == (12, 16, 3)
    assert (rgb[2:-2, 2:-2] == [200, 90, 30]).all()


YUV = [("yuv422_yuy2", 0), ("yuyv", 0), ("yuv422", 1), ("uyvy", 1)]


@pytest.mark.parametrize(("encoding", "luma"), YUV)
def test_yuv_pairs_give_grey_and_colour(encoding: str, luma: int) -> None:
    pairs = np.full((4, 6, 2), 128, np.uint8)
    pairs[..., luma] = 235
    assert (rgb_of(image_message(pairs, encoding, 0.0, "")) >= 250).all()
    pairs[..., luma] = 82
    pairs[:, 0::2, 1 - luma], pairs[:, 1::2, 1 - luma] = 90, 240
    red = rgb_of(image_message(pairs, encoding, 0.0, ""))[0, 0]
    assert red[0] > 240
    assert red[1:].max() < 15


@pytest.mark.parametrize(("encoding", "chroma"), [("nv12", [90, 240]), ("nv21", [240, 90])])
@pytest.mark.parametrize("padding", [0, 5])
def test_planes_of_luma_and_chroma_give_colour(encoding: str, chroma: list[int], padding: int) -> None:
    planes = np.zeros((6, 8 + padding), np.uint8)
    planes[:4, :8], planes[4:, :8] = 82, np.tile(chroma, 4)
    message = sensor.Image(height=4, width=8, encoding=encoding, step=8 + padding, data=planes.tobytes())
    rgb = rgb_of(message)
    assert rgb.shape == (4, 8, 3)
    assert rgb[..., 0].min() > 240
    assert rgb[..., 1:].max() < 15
    message.data = planes[:4].tobytes()
    with pytest.raises(MalformedImage):
        rgb_of(message)


@pytest.mark.parametrize(("encoding", "order"), [("rgb16", [0, 1, 2]), ("bgr16", [2, 1, 0])])
@pytest.mark.parametrize("byte_order", "<>")
def test_colours_of_16_bits_are_read(encoding: str, order: list[int], byte_order: str) -> None:
    pixels = (RED[..., order].astype(np.uint16) * 257).astype(f"{byte_order}u2")
    rows = np.pad(np.frombuffer(pixels.tobytes(), np.uint8).reshape(4, 36), ((0, 0), (0, 3)))
    message = sensor.Image(height=4, width=6, encoding=encoding, step=39, is_bigendian=byte_order == ">")
    message.data = rows.tobytes()
    assert np.array_equal(rgb_of(message), RED)


@pytest.mark.parametrize("bits", [10, 12, 14, 16])
def test_the_brightness_of_an_infrared_image_does_not_depend_on_the_bits_of_its_sensor(bits: int) -> None:
    grey = (np.linspace(0.0, 0.98, 64).reshape(8, 8) * (1 << bits)).astype(np.uint16)
    raw = rgb_of(image_message(grey, "mono16", 0.0, ""))
    assert raw[-1, -1].tolist() == [250] * 3
    png = sensor.CompressedImage(
        format="mono16; png compressed mono16", data=cv2.imencode(".png", grey)[1].tobytes()
    )
    assert np.array_equal(rgb_of_compressed(png), raw)


def test_a_dark_image_of_16_bits_stays_dark() -> None:
    assert rgb_of(image_message(np.full((4, 4), 20, np.uint16), "mono16", 0.0, "")).max() == 5


@pytest.mark.parametrize(
    ("form", "swapped"),
    [
        ("rgb8; jpeg compressed bgr8", False),
        ("rgb8; jpeg compressed rgb8", True),
        ("bgr8; jpeg compressed rgb8", True),
        ("rgb8; jpeg compressed", False),
        ("jpeg", False),
    ],
)
def test_channels_are_in_the_order_that_the_format_names(form: str, swapped: bool) -> None:
    data = cv2.imencode(".png", RED if swapped else RED[..., ::-1])[1].tobytes()
    assert np.array_equal(rgb_of_compressed(sensor.CompressedImage(format=form, data=data)), RED)


@pytest.mark.parametrize("orientation", [3, 6])
def test_exif_does_not_turn_the_image_of_a_camera(orientation: int) -> None:
    pixels = np.zeros((16, 32, 3), np.uint8)
    pixels[:, :16] = 200
    tag, stored = Image.Exif(), io.BytesIO()
    tag[ExifTags.Base.Orientation] = orientation
    Image.fromarray(pixels).save(stored, "JPEG", exif=tag)
    found = rgb_of_compressed(sensor.CompressedImage(format="jpeg", data=stored.getvalue()))
    assert np.abs(found.astype(int) - pixels).max() < 20


def test_an_odd_width_cannot_be_pairs() -> None:
    with pytest.raises(MalformedImage):
        rgb_of(image_message(np.zeros((3, 5, 2), np.uint8), "yuv422_yuy2", 0.0, ""))


def test_unknown_depth_is_zero() -> None:
    depth = np.array([[1.0, np.nan], [np.inf, -2.0]], np.float32)
    assert depth_of(image_message(depth, "32FC1", 0.0, "")).tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_an_encoding_it_cannot_read_lists_those_it_can() -> None:
    with pytest.raises(UnsupportedEncoding, match=r"'yuv999' cannot be read: expected one of .*'rgb8'"):
        image_view(sensor.Image(encoding="yuv999"))
    with pytest.raises(UnsupportedEncoding, match="'16UC1', '32FC1', 'mono16'"):
        depth_of(image_message(RED, "rgb8", 0.0, ""))


@pytest.mark.parametrize("size", [{"height": 0}, {"width": 0}, {"step": 3}, {"height": 400}])
def test_sizes_that_contradict_the_data_are_refused(size: dict[str, int]) -> None:
    message = image_message(RED, "rgb8", 0.0, "")
    for name, value in size.items():
        setattr(message, name, value)
    with pytest.raises(MalformedImage):
        image_view(message)


def test_an_image_larger_than_any_cameras_is_refused() -> None:
    with pytest.raises(ImageTooLarge, match="60000x60000 pixels"):
        rgb_of(sensor.Image(encoding="mono8", width=60000, height=60000, step=60000))


@pytest.mark.parametrize(("extension", "tolerance"), [(".png", 0), (".jpg", 4)])
def test_red_stays_red_when_compressed(extension: str, tolerance: int) -> None:
    rgb = np.zeros((20, 30, 3), np.uint8)
    rgb[..., 0] = 200
    data = cv2.imencode(extension, rgb[..., ::-1])[1].tobytes()
    decoded = rgb_of_compressed(sensor.CompressedImage(format=extension, data=data))
    assert np.abs(decoded.astype(int) - rgb).max() <= tolerance


@pytest.mark.parametrize("data", [b"", b"not an image", b"\xff\xd8\xff"])
def test_what_is_no_image_is_refused(data: bytes) -> None:
    with pytest.raises(UndecodableImage, match="JPEG or PNG"):
        rgb_of_compressed(sensor.CompressedImage(format="jpeg", data=data))


def png(width: int, height: int) -> bytes:
    """A header of this size, and next to nothing behind it."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"x" * 10) + chunk(b"IEND", b"")


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def jpeg(width: int, height: int) -> bytes:
    """A small picture that says it is of this size."""
    data = bytearray(cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))[1].tobytes())
    struct.pack_into(">HH", data, data.index(b"\xff\xc0") + 5, height, width)
    return bytes(data)


@pytest.mark.parametrize("data", [png(40000, 40000), png(2**31 - 1, 1), png(8000, 8000), jpeg(65000, 65000)])
def test_a_picture_larger_than_any_cameras_is_refused_before_it_is_decoded(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("was decoded"))
    with pytest.raises(ImageTooLarge, match="too large: at most"):
        rgb_of_compressed(sensor.CompressedImage(format="png", data=data))


@pytest.mark.parametrize("data", [png(40, 30), png(0, 0), jpeg(0, 0), png(40, 30)[:30]])
def test_a_header_without_its_picture_is_refused(data: bytes) -> None:
    with pytest.raises(UndecodableImage):
        rgb_of_compressed(sensor.CompressedImage(format="png", data=data))


def test_a_jpeg_of_a_thousand_scans_is_refused() -> None:
    data = jpeg(3000, 3000) + b"\xff\xda" * (MAX_SCANS + 1)
    with pytest.raises(ImageTooLarge, match="scans"):
        rgb_of_compressed(sensor.CompressedImage(format="jpeg", data=data))


@pytest.mark.parametrize("extension", [".png", ".jpg"])
@pytest.mark.parametrize("options", [(), (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)])
def test_the_size_is_read_from_the_header(extension: str, options: tuple[int, ...]) -> None:
    data = cv2.imencode(extension, np.zeros((37, 91, 3), np.uint8), options)[1]
    assert compressed_size(data.data) == (91, 37)
