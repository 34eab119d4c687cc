"""A vision-language model of full size with random weights: ``... ARCHITECTURE bf16|nf4 DEVICE [LAYERS]``.

Prints the memory that is used on its device, by whomever [MB], and the time of a look [s] as JSON.
"""

import argparse
import json
import statistics
import sys
import time
from tempfile import TemporaryDirectory

import torch
from transformers import AutoModelForImageTextToText, PretrainedConfig, Qwen2_5_VLConfig, Qwen3VLConfig

from openral_perception_ros.engines.vlm_models import Quantisation

LOOKS, TOKENS, WORDS = 5, 64, 40
"""Looks that are timed, tokens of an answer and of a question [count]."""
GRIDS = {"qwen3_vl": (48, 64), "qwen2_5_vl": (54, 74)}
"""Patches of an image of about 1024 x 768 px (rows, columns)."""
CONFIGURATIONS = {
    "qwen3_vl": lambda: Qwen3VLConfig(
        text_config={
            "hidden_size": 2048,
            "num_hidden_layers": 28,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "intermediate_size": 6144,
            "tie_word_embeddings": True,
        },
        vision_config={
            "depth": 24,
            "hidden_size": 1024,
            "intermediate_size": 4096,
            "num_heads": 16,
            "out_hidden_size": 2048,
            "deepstack_visual_indexes": [5, 11, 17],
        },
        tie_word_embeddings=True,
    ),
    "qwen2_5_vl": lambda: Qwen2_5_VLConfig(
        text_config={
            "hidden_size": 2048,
            "num_hidden_layers": 36,
            "num_attention_heads": 16,
            "num_key_value_heads": 2,
            "intermediate_size": 11008,
            "vocab_size": 151936,
            "tie_word_embeddings": True,
            "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
        },
        vision_config={"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 2048},
        tie_word_embeddings=True,
    ),
}


def question(config: PretrainedConfig, grid: tuple[int, int], device: str) -> dict[str, torch.Tensor]:
    """Return the inputs of a question about an image of noise."""
    vision = config.vision_config
    side = vision.patch_size
    patches = grid[0] * grid[1]
    tokens = patches // vision.spatial_merge_size**2
    words = torch.arange(WORDS)
    image = torch.full((tokens,), config.image_token_id)
    marks = torch.tensor([config.vision_start_token_id]), torch.tensor([config.vision_end_token_id])
    sequence = torch.cat([marks[0], image, marks[1], words])[None]
    pixels = torch.randn(patches, 3 * vision.temporal_patch_size * side * side, dtype=torch.bfloat16)
    inputs = {
        "input_ids": sequence,
        "attention_mask": torch.ones_like(sequence),
        "mm_token_type_ids": (sequence == config.image_token_id).int(),
        "pixel_values": pixels,
        "image_grid_thw": torch.tensor([[1, *grid]]),
    }
    return {name: value.to(device) for name, value in inputs.items()}


def measure(architecture: str, precision: str, device: str, layers: int | None) -> dict[str, float]:
    """Make, save, load and ask the model."""
    config = CONFIGURATIONS[architecture]()
    if layers is not None:
        config.text_config.num_hidden_layers = layers
    if hasattr(config.text_config, "layer_types"):
        config.text_config.layer_types = ["full_attention"] * config.text_config.num_hidden_layers
    quantisation = Quantisation.NF4 if precision == "nf4" else Quantisation.NONE
    with TemporaryDirectory() as folder:
        with torch.device(device):
            made = AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16)
        made.save_pretrained(folder)
        del made
        if device.startswith("cuda"):
            torch.cuda.empty_cache()
        model = AutoModelForImageTextToText.from_pretrained(
            folder,
            dtype=torch.bfloat16,
            device_map={"": device},
            quantization_config=quantisation.config(torch.bfloat16),
        ).eval()
    inputs, times = question(model.config, GRIDS[architecture], device), list[float]()
    for _ in range(1 + LOOKS):
        begun = time.perf_counter()
        model.generate(**inputs, max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False)
        if device.startswith("cuda"):
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begun)
    used = 0.0
    if device.startswith("cuda"):
        free, total = torch.cuda.mem_get_info()
        used = (total - free) / 1e6
    return {"seconds": statistics.median(times[1:]), "used_MB": used}


def main() -> None:
    """Measure one model."""
    parser = argparse.ArgumentParser(description="Measure a vision-language model with random weights.")
    parser.add_argument("architecture", choices=sorted(CONFIGURATIONS))
    parser.add_argument("precision", choices=["bf16", "nf4"])
    parser.add_argument("device")
    parser.add_argument("--layers", type=int, default=None, help="layers of the language model; for a trial")
    chosen = parser.parse_args()
    torch.manual_seed(0)
    found = measure(chosen.architecture, chosen.precision, chosen.device, chosen.layers)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
