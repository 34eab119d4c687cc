"""The inputs of a model: an image, and perhaps the size to which its boxes refer."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import onnxruntime
from numpy.typing import DTypeLike, NDArray

from openral_perception_ros.engines.errors import EngineError

IMAGE_TYPES: dict[str, DTypeLike] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(uint8)": np.uint8,
}
SIZE_TYPES: dict[str, DTypeLike] = {
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
}
CHANNELS = 3
"""Channels of a colour image [count]."""


class UnsupportedInputs(EngineError):
    """Inputs that are not one colour image, with or without its size."""

    def __init__(self, problem: str, inputs: object) -> None:
        super().__init__(
            f"cannot feed the inputs {inputs}: {problem}; valid are one image of float32, float16 or uint8 "
            "as (1, 3, H, W) or (1, H, W, 3), and beside it one size (1, 2)"
        )


class UnknownInputSize(EngineError):
    """A model with an input of any size whose manifest states none, or one with another size than stated."""

    def __init__(self, shape: object, stated: object) -> None:
        super().__init__(
            f"the model's input is {shape}, but the manifest's 'input_size' (or preprocessor_config.json) is "
            f"{stated or 'not stated'}: state (width, height) [px] of the model's input"
        )


@dataclass(frozen=True, slots=True)
class ModelInput:
    """Names and types of the inputs; ``size`` is the image's (width, height) [px], None if any."""

    image: str
    dtype: DTypeLike
    channels_last: bool
    size: tuple[int, int] | None
    size_name: str = ""
    size_dtype: DTypeLike = np.int64

    @classmethod
    def of(cls, session: onnxruntime.InferenceSession) -> Self:
        """Read the inputs of a model.

        Raises:
            UnsupportedInputs: If they are others.
        """
        inputs = session.get_inputs()
        listed = [f"{each.name} {each.type} {each.shape}" for each in inputs][:8]
        images = [each for each in inputs if len(each.shape) == 4]
        sizes = [each for each in inputs if len(each.shape) == 2]
        if len(images) != 1 or len(sizes) > 1 or len(inputs) != len(images) + len(sizes):
            raise UnsupportedInputs("they are not one image", listed)
        batch, *rest = images[0].shape
        last = rest[2] == CHANNELS and rest[0] != CHANNELS
        height, width, channels = rest if last else (*rest[1:], rest[0])
        if images[0].type not in IMAGE_TYPES or (isinstance(batch, int) and batch != 1):
            raise UnsupportedInputs("the image has another type, or a batch is not 1", listed)
        if isinstance(channels, int) and channels != CHANNELS:
            raise UnsupportedInputs(f"the image has {channels} channels", listed)
        if sizes and (sizes[0].type not in SIZE_TYPES or sizes[0].shape[1] == 1):
            raise UnsupportedInputs("the size is not two numbers", listed)
        size = (width, height) if isinstance(width, int) and isinstance(height, int) else None
        named = (sizes[0].name, SIZE_TYPES[sizes[0].type]) if sizes else ("", np.int64)
        return cls(images[0].name, IMAGE_TYPES[images[0].type], last, size, *named)

    def feed(self, pixels: NDArray[np.generic], size: tuple[int, int]) -> dict[str, NDArray[np.generic]]:
        """Return the model's inputs.

        Args:
            pixels: Shape (1, 3, H, W).
            size: (width, height) of the image [px], to which the boxes will refer: RT-DETR's order.
        """
        image = pixels.transpose(0, 2, 3, 1) if self.channels_last else pixels
        image = np.ascontiguousarray(image, self.dtype)
        if not self.size_name:
            return {self.image: image}
        return {self.image: image, self.size_name: np.array([size], self.size_dtype)}
