"""A frame to another process and a word back: by shared memory, and with the bytes on the same socket.

The worker's own arena and message against the frame inside the message, and against raw bytes behind it.
"""

import multiprocessing as mp
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import msgpack
import numpy as np

from benchmarks.detector_rigs import percentile
from openral_perception_ros.inference.ipc import Detect, SharedFrameBuffer, pack_request, unpack_request

SAMPLES = 400
SIZES = ((640, 480), (1280, 720), (1920, 1080))
STRIDE = 4096
Row = dict[str, object]
Exchange = Callable[[Connection, np.ndarray], None]


def run() -> list[Row]:
    """One row per size and way."""
    arena = SharedFrameBuffer.create()
    ours, theirs = mp.Pipe()
    child = mp.get_context("fork").Process(target=reader, args=(theirs, os.dup(arena.fileno())), daemon=True)
    child.start()
    theirs.close()
    ways: dict[str, Exchange] = {
        "ping": lambda line, _: line.send_bytes(b"ping"),
        "shared memory": lambda line, frame: shared(line, frame, arena),
        "bytes after the message": raw,
        "bytes inside the message": packed,
    }
    try:
        return [row(size, way, exchange, ours) for size in SIZES for way, exchange in ways.items()]
    finally:
        ours.close()
        child.join(5.0)
        arena.close()


def row(size: tuple[int, int], way: str, exchange: Exchange, line: Connection) -> Row:
    """Round trips of one way [ms]."""
    frame = np.random.default_rng(0).integers(0, 255, (size[1], size[0], 3), np.uint8)
    seconds = []
    for _ in range(SAMPLES):
        begun = time.perf_counter()
        exchange(line, frame)
        line.recv_bytes()
        seconds.append(time.perf_counter() - begun)
    return {
        "frame": f"{size[0]}x{size[1]}",
        "way": way,
        "p50_ms": round(1e3 * percentile(seconds, 0.5), 3),
        "p99_ms": round(1e3 * percentile(seconds, 0.99), 3),
    }


def shared(line: Connection, frame: np.ndarray, arena: SharedFrameBuffer) -> None:
    """As a node hands a frame to its worker."""
    line.send_bytes(pack_request(Detect(arena.write({"rgb": frame}), "head", 1)))


def raw(line: Connection, frame: np.ndarray) -> None:
    """A header, then the pixels without copying them first."""
    line.send_bytes(b"raw")
    line.send_bytes(frame.reshape(-1).data)


def packed(line: Connection, frame: np.ndarray) -> None:
    """Everything in one message."""
    line.send_bytes(b"msg" + msgpack.packb({"shape": frame.shape, "rgb": frame.tobytes()}))


def reader(line: Connection, arena_fd: int) -> None:
    """The other process: gets the frame as an array, touches it, answers."""
    arena = SharedFrameBuffer(arena_fd)
    while True:
        try:
            word = line.recv_bytes()
            touched = pixels_of(word, line, arena)[::STRIDE].sum()
            line.send_bytes(int(touched).to_bytes(8, "little"))
        except EOFError:
            return


def pixels_of(word: bytes, line: Connection, arena: SharedFrameBuffer) -> np.ndarray:
    """The frame that a message brings or names, flat."""
    if word == b"ping":
        return np.zeros(1, np.uint8)
    if word == b"raw":
        return np.frombuffer(line.recv_bytes(), np.uint8)
    if word.startswith(b"msg"):
        return np.frombuffer(msgpack.unpackb(word[3:])["rgb"], np.uint8)
    request = unpack_request(word)
    if not isinstance(request, Detect):
        raise TypeError(type(request))
    return arena.read(request.planes)["rgb"].reshape(-1)
