"""Shared memory of one node and one worker: an anonymous memfd, so nothing can be left behind."""

import fcntl
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from openral_core.errors import OpenRALError
from openral_perception_ros.engines import Plane

ALIGNMENT = 64
"""Alignment of every array [bytes]: one cache line, and enough for SIMD loads."""
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
"""A worker must neither shrink the memory, which kills the node with SIGBUS, nor seal it against writing."""


class ArrayOutOfBounds(OpenRALError):
    """An array outside the shared memory."""

    def __init__(self, name: str, end: int, size: int) -> None:
        super().__init__(f"plane {name!r} ends at byte {end} of a shared buffer of {size} bytes")


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """Layout of one array in the shared memory."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def end(self) -> int:
        """Offset of the first byte after it."""
        return self.offset + int(np.dtype(self.dtype).itemsize * np.prod(self.shape, dtype=np.int64))


class SharedFrameBuffer:
    """Buffer for the planes of one frame; the kernel frees it when both processes have exited."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map: mmap.mmap | None = None

    @classmethod
    def create(cls) -> "SharedFrameBuffer":
        """Create a buffer of one page."""
        fd = os.memfd_create("openral-frame", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, mmap.PAGESIZE)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
        return cls(fd)

    def fileno(self) -> int:
        """Return the descriptor for the worker to inherit."""
        return self._fd

    def write(self, planes: Mapping[str, Plane]) -> tuple[ArraySpec, ...]:
        """Copy planes in, growing the buffer as needed; overwrites the previous frame."""
        specs: list[ArraySpec] = []
        offset = 0
        for name, plane in planes.items():
            specs.append(ArraySpec(name, plane.dtype.str, plane.shape, offset))
            offset = -(-specs[-1].end // ALIGNMENT) * ALIGNMENT
        shared = self._mapped(offset, grow=True)
        for spec, plane in zip(specs, planes.values(), strict=True):
            np.ndarray(spec.shape, spec.dtype, shared, spec.offset)[...] = plane
        return tuple(specs)

    def read(self, specs: tuple[ArraySpec, ...]) -> dict[str, Plane]:
        """Return read-only views of the planes, valid until the next frame is written.

        Raises:
            ArrayOutOfBounds: If a plane lies outside the shared memory.
        """
        size = os.fstat(self._fd).st_size
        for spec in specs:
            if spec.offset < 0 or spec.end > size:
                raise ArrayOutOfBounds(spec.name, spec.end, size)
        shared = self._mapped(max((spec.end for spec in specs), default=0), grow=False)
        planes = {spec.name: np.ndarray(spec.shape, spec.dtype, shared, spec.offset) for spec in specs}
        for plane in planes.values():
            plane.flags.writeable = False
        return planes

    def close(self) -> None:
        """Close the descriptor; existing views stay valid."""
        self._map = None
        os.close(self._fd)

    def _mapped(self, needed: int, grow: bool) -> mmap.mmap:
        if self._map is None or len(self._map) < needed:
            if grow and os.fstat(self._fd).st_size < needed:
                os.ftruncate(self._fd, needed)
            # Only what is needed: a worker may have grown the file to any size.
            self._map = mmap.mmap(self._fd, max(needed, mmap.PAGESIZE))
        return self._map
