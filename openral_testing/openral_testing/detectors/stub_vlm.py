"""Tiny vision-language model, shipped with its checkpoint as remote code.

For every phrase it marks the brightest patch of the image, computed by linear layers that can be quantised,
and answers in the grammar of LocateAnything.
"""

import re

import numpy as np
import torch
from PIL import Image
from transformers import BatchFeature, PretrainedConfig, PreTrainedModel, ProcessorMixin

PATCHES, PATCH = 8, 16  # Patches along a side [count]; side of one [px].
SIDE = PATCHES * PATCH
THOUSAND = 1000  # Parts of a side in which boxes are answered [1].
_ASKED = re.compile(r"description: (?P<phrases>.*)\.$")


class StubConfig(PretrainedConfig):
    """Configuration with the width of the linear layers."""

    model_type = "openral_stub_vlm"

    def __init__(self, width: int = 128, **options: object) -> None:
        self.width = width
        super().__init__(**options)


class StubProcessor(ProcessorMixin):
    """Processor with the interface of the real one."""

    attributes = ["tokenizer"]
    tokenizer_class = "AutoTokenizer"

    def py_apply_chat_template(
        self, messages: list[dict[str, list[dict[str, object]]]], tokenize: bool, add_generation_prompt: bool
    ) -> str:
        """Return the text of the question."""
        return str(messages[0]["content"][1]["text"])

    def process_vision_info(
        self, messages: list[dict[str, list[dict[str, object]]]]
    ) -> tuple[list[object], None]:
        """Return the image."""
        return [messages[0]["content"][0]["image"]], None

    def __call__(
        self, text: list[str], images: list[Image.Image], videos: None, return_tensors: str
    ) -> BatchFeature:
        """Convert an image to patches and the question to tokens."""
        image = np.asarray(images[0].resize((SIDE, SIDE)), np.float32) / 255.0
        grid = image.mean(axis=2).reshape(PATCHES, PATCH, PATCHES, PATCH).transpose(0, 2, 1, 3)
        tokens = torch.tensor([[ord(letter) for letter in text[0]]])
        pixels = torch.from_numpy(grid.reshape(1, PATCHES * PATCHES, PATCH * PATCH).copy())
        return BatchFeature({"input_ids": tokens, "pixel_values": pixels})


class StubModel(PreTrainedModel):
    """Two linear layers without bias; their response grows with the brightness of a patch."""

    config_class = StubConfig

    def __init__(self, config: StubConfig) -> None:
        super().__init__(config)
        self.embed = torch.nn.Linear(PATCH * PATCH, config.width, bias=False)
        self.mix = torch.nn.Linear(config.width, config.width, bias=False)
        self.post_init()

    def _init_weights(self, module: torch.nn.Module) -> None:
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.normal_(module.weight, std=0.1)

    def generate(self, input_ids: torch.Tensor, pixel_values: torch.Tensor, **options: object) -> str:
        """Generate the answer as text, like the real model."""
        strength = self.mix(self.embed(pixel_values)).float().pow(2).sum(dim=-1)[0]
        row, column = divmod(int(strength.argmax()), PATCHES)
        step = THOUSAND // PATCHES
        corners = (column * step, row * step, (column + 1) * step, (row + 1) * step)
        box = "<box>" + "".join(f"<{corner}>" for corner in corners) + "</box>"
        match = _ASKED.search("".join(chr(token) for token in input_ids[0].tolist()))
        phrases = match["phrases"].split("</c>") if match else []
        return "".join(f"<ref>{phrase}</ref>{box}" for phrase in phrases) + "<|im_end|>"
