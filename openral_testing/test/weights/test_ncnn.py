"""Conversion of ncnn's networks: each operation against numpy."""

import struct
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from openral_testing.weights.ncnn import HALF_FLOAT, UnsupportedNetwork, convert

SIZE = (6, 4)
RNG = np.random.default_rng(3)
IMAGE = RNG.normal(size=(1, 3, SIZE[1], SIZE[0])).astype(np.float32)


def network(folder: Path, *lines: str, weights: bytes = b"") -> tuple[Path, Path]:
    param, binary = folder / "net.param", folder / "net.bin"
    layers = ("Input in 0 1 data", *lines)
    param.write_text("\n".join(("7767517", f"{len(layers)} 0", *layers)) + "\n")
    binary.write_bytes(weights)
    return param, binary


def run(folder: Path, *lines: str, weights: bytes = b"") -> dict[str, np.ndarray]:
    model = convert(*network(folder, *lines, weights=weights), SIZE)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"data": IMAGE}), strict=True))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Sigmoid s 1 1 data out", 1 / (1 + np.exp(-IMAGE))),
        ("BinaryOp b 2 1 data data out 0=2", IMAGE * IMAGE),
        ("Concat c 2 1 data data out 0=0", np.concatenate([IMAGE, IMAGE], axis=1)),
        ("Crop c 1 1 data out -23309=1,1 -23310=1,3 -23311=1,0", IMAGE[:, 1:3]),
        ("Interp i 1 1 data out 0=1 1=2.0 2=2.0", IMAGE.repeat(2, axis=2).repeat(2, axis=3)),
        ("Reshape r 1 1 data out 0=-1 1=3", IMAGE.reshape(1, 3, -1)),
    ],
)
def test_an_operation_computes_what_ncnn_documents(tmp_path: Path, line: str, expected: np.ndarray) -> None:
    np.testing.assert_allclose(run(tmp_path, line)["out"], expected, rtol=1e-5, atol=1e-6)


def test_a_split_of_channels_gives_the_rest_to_the_last(tmp_path: Path) -> None:
    parts = run(tmp_path, "Slice s 1 2 data first rest -23300=2,1,-233")
    np.testing.assert_array_equal(parts["first"], IMAGE[:, :1])
    np.testing.assert_array_equal(parts["rest"], IMAGE[:, 1:])


def test_a_shuffle_interleaves_the_groups(tmp_path: Path) -> None:
    lines = ("Concat c 2 1 data data six 0=0", "ShuffleChannel s 1 1 six out 0=2")
    shuffled = run(tmp_path, *lines)["out"]
    np.testing.assert_array_equal(shuffled, IMAGE[:, [0, 0, 1, 1, 2, 2]])


@pytest.mark.parametrize("half", [True, False])
def test_a_convolution_reads_its_weights_in_both_precisions(tmp_path: Path, half: bool) -> None:
    kernel = RNG.normal(size=(2, 3, 3, 3)).astype(np.float16)
    bias = np.array([0.5, -0.5], np.float32)
    stored = kernel if half else kernel.astype(np.float32)
    data = struct.pack("<I", HALF_FLOAT if half else 0) + stored.tobytes() + bias.tobytes()
    line = "Convolution c 1 1 data out 0=2 1=3 3=2 4=1 5=1 6=54 9=2 -23310=1,0.1"
    found = run(tmp_path, line, weights=data)["out"]
    padded = np.pad(IMAGE[0], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))[:, ::2, ::2]
    raw = np.einsum("chwij,ocij->ohw", windows, kernel.astype(np.float32)) + bias[:, None, None]
    np.testing.assert_allclose(found[0], np.where(raw > 0, raw, 0.1 * raw), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("LSTM l 1 1 data out", "the operation is none of"),
        ("Pooling p 1 1 data out 0=1 1=3 5=1", "a pooling other than"),
        ("Convolution c 1 1 data out 0=2 1=3 6=54", "Convolution"),
        ("Sigmoid s 1 1 nowhere out", "nowhere"),
    ],
)
def test_what_is_not_covered_is_refused_by_name(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(UnsupportedNetwork, match=reason):
        convert(*network(tmp_path, line), SIZE)


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedNetwork, match="7 bytes, of which the network reads 0"):
        convert(*network(tmp_path, "Sigmoid s 1 1 data out", weights=b"too few"), SIZE)
    (tmp_path / "page.param").write_text("<html>")
    with pytest.raises(UnsupportedNetwork, match="first line is '<html>'"):
        convert(tmp_path / "page.param", tmp_path / "net.bin", SIZE)
