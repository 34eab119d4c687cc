import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from openral_perception_ros.inference.shared_memory import ArrayOutOfBounds, ArraySpec, SharedFrameBuffer

planes = st.dictionaries(
    st.sampled_from(["rgb", "depth", "semantic"]),
    npst.arrays(
        st.sampled_from([np.uint8, np.uint16, np.float32]), npst.array_shapes(max_dims=3), elements=st.just(1)
    ),
    max_size=3,
)


@given(planes, planes)
def test_what_one_side_writes_the_other_reads(
    first: dict[str, np.ndarray], second: dict[str, np.ndarray]
) -> None:
    ours = SharedFrameBuffer.create()
    theirs = SharedFrameBuffer(os.dup(ours.fileno()))
    for frame in (first, second):
        read = theirs.read(ours.write(frame))
        assert read.keys() == frame.keys()
        for name, plane in frame.items():
            assert read[name].dtype == plane.dtype
            np.testing.assert_array_equal(read[name], plane)
    del read
    ours.close()
    theirs.close()


def test_rows_of_a_padded_image_arrive_packed() -> None:
    arena = SharedFrameBuffer.create()
    padded = np.arange(60, dtype=np.uint8).reshape(4, 15)[:, :12].reshape(4, 4, 3)
    np.testing.assert_array_equal(arena.read(arena.write({"rgb": padded}))["rgb"], padded)
    arena.close()


def test_readers_cannot_change_a_frame() -> None:
    arena = SharedFrameBuffer.create()
    (plane,) = arena.read(arena.write({"rgb": np.zeros((2, 2), np.uint8)})).values()
    with pytest.raises(ValueError, match="read-only"):
        plane[...] = 1
    arena.close()


@pytest.mark.parametrize("offset", [-8, 4096, 1 << 40])
def test_a_plane_beyond_the_shared_memory_is_refused(offset: int) -> None:
    arena = SharedFrameBuffer.create()
    arena.write({"rgb": np.zeros(8, np.uint8)})
    with pytest.raises(ArrayOutOfBounds):
        arena.read((ArraySpec("rgb", "|u1", (8,), offset),))
    arena.close()
