"""Full-size checkpoints, random weights: ``python -m benchmarks.torch.full_checkpoints NAME FOLDER``."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import WordLevel
from transformers import (
    CLIPTextConfig,
    OmDetTurboConfig,
    OmDetTurboForObjectDetection,
    PreTrainedTokenizerFast,
    RTDetrConfig,
    RTDetrForObjectDetection,
    RTDetrResNetConfig,
    RTDetrV2Config,
    RTDetrV2ForObjectDetection,
    SwinConfig,
)

SIDE, CLASSES = 640, 80
BEGIN, END = 49406, 49407
"""Numbers of CLIP's own marks; it pools at the highest."""


def rtdetr_r18(folder: Path, words: Sequence[str]) -> None:
    """RT-DETR with a ResNet of 18 layers."""
    backbone = RTDetrResNetConfig(
        embedding_size=64,
        hidden_sizes=[64, 128, 256, 512],
        depths=[2, 2, 2, 2],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )
    sizes = {"encoder_in_channels": [128, 256, 512], "hidden_expansion": 0.5, "decoder_layers": 3}
    config = RTDetrConfig(num_labels=CLASSES, backbone_config=backbone, **sizes)
    _save(RTDetrForObjectDetection(config), folder, normalised=False)


def rtdetr_v2_r50(folder: Path, words: Sequence[str]) -> None:
    """RT-DETRv2 as its configuration's defaults have it."""
    _save(RTDetrV2ForObjectDetection(RTDetrV2Config(num_labels=CLASSES)), folder, normalised=False)


def omdet_turbo(folder: Path, words: Sequence[str]) -> None:
    """OmDet-Turbo on Swin-tiny; its tokenizer gives each word one token, about what CLIP's gives."""
    vision = SwinConfig(image_size=SIDE, window_size=7, out_features=["stage2", "stage3", "stage4"])
    config = OmDetTurboConfig(
        text_config=CLIPTextConfig(bos_token_id=BEGIN, eos_token_id=END),
        backbone_config=vision,
        use_timm_backbone=False,
        backbone=None,
        apply_layernorm_after_vision_backbone=False,
        image_size=SIDE,
    )
    model = OmDetTurboForObjectDetection(config)
    torch.nn.init.normal_(model.language_backbone.text_projection, std=0.02)
    _tokenizer(words).save_pretrained(folder)
    _save(model, folder, normalised=True)


def _tokenizer(words: Sequence[str]) -> PreTrainedTokenizerFast:
    known = {word: number for number, word in enumerate(dict.fromkeys(("?", *words)))}
    vocabulary = {**known, "<|startoftext|>": BEGIN, "<|endoftext|>": END}
    made = Tokenizer(WordLevel(vocabulary, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = [("<|startoftext|>", BEGIN), ("<|endoftext|>", END)]
    made.post_processor = processors.TemplateProcessing("<|startoftext|> $0 <|endoftext|>", None, marks)
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<|endoftext|>", unk_token="?")


def _save(model: torch.nn.Module, folder: Path, normalised: bool) -> None:
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.8, 1.2)
    model.eval().save_pretrained(folder)
    preprocessor = {"size": {"height": SIDE, "width": SIDE}, "do_normalize": normalised}
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))


CHECKPOINTS: Mapping[str, Callable[[Path, Sequence[str]], None]] = {
    "rtdetr_r18": rtdetr_r18,
    "rtdetr_v2_r50": rtdetr_v2_r50,
    "omdet_turbo": omdet_turbo,
}


def main() -> None:
    """Write one checkpoint; words of a tokenizer come one per line on standard input."""
    parser = argparse.ArgumentParser(description="Write a random checkpoint of full size.")
    parser.add_argument("name", choices=sorted(CHECKPOINTS))
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    CHECKPOINTS[chosen.name](chosen.folder, sys.stdin.read().split())


if __name__ == "__main__":
    main()
