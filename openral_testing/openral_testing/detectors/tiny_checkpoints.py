"""Small random checkpoints of every architecture, loadable like real ones.

``python -m openral_testing.detectors.tiny_checkpoints <folder> [<architecture> ...]``, in an environment
that has PyTorch and transformers, writes ``<folder>/<architecture>/weights``.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import torch
from tokenizers import AddedToken
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    BertConfig,
    BertTokenizerFast,
    CLIPTextConfig,
    CLIPTokenizer,
    DFineConfig,
    DFineForObjectDetection,
    HGNetV2Config,
    MMGroundingDinoConfig,
    MMGroundingDinoForObjectDetection,
    OmDetTurboConfig,
    OmDetTurboForObjectDetection,
    Qwen2Tokenizer,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    RfDetrConfig,
    RfDetrDinov2Config,
    RfDetrForObjectDetection,
    RTDetrConfig,
    RTDetrForObjectDetection,
    RTDetrResNetConfig,
    RTDetrV2Config,
    RTDetrV2ForObjectDetection,
    SwinConfig,
)

LABELS = ("mug", "bread", "lemon", "wine glass", "bottle")
SIDE = 160
"""Input size [px]: five strides of 32."""
TEXT_DIM = 48
"""Size of text embeddings [count]."""


def _backbone() -> RTDetrResNetConfig:
    return RTDetrResNetConfig(
        embedding_size=16,
        hidden_sizes=[16, 32, 32, 64],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )


def _sizes(classes: int) -> dict[str, object]:
    return {
        "num_labels": classes,
        "backbone_config": _backbone(),
        "encoder_hidden_dim": 32,
        "encoder_in_channels": [32, 32, 64],
        "encoder_ffn_dim": 32,
        "encoder_attention_heads": 2,
        "d_model": 32,
        "decoder_in_channels": [32, 32, 32],
        "decoder_ffn_dim": 32,
        "decoder_attention_heads": 2,
        "decoder_layers": 2,
        "num_queries": 20,
        "num_denoising": 0,
    }


def rtdetr(folder: Path, classes: int) -> None:
    """Write an RT-DETR checkpoint."""
    _save(RTDetrForObjectDetection(RTDetrConfig(**_sizes(classes))), folder, do_normalize=False)


def rtdetr_v2(folder: Path, classes: int) -> None:
    """Write an RT-DETRv2 checkpoint."""
    _save(RTDetrV2ForObjectDetection(RTDetrV2Config(**_sizes(classes))), folder, do_normalize=False)


def d_fine(folder: Path, classes: int) -> None:
    """Write a D-FINE checkpoint with the two feature levels of its nano size."""
    backbone = HGNetV2Config(
        embedding_size=16,
        depths=[1, 1, 1, 1],
        hidden_sizes=[16, 32, 32, 64],
        stem_channels=[3, 8, 8],
        stage_in_channels=[8, 16, 32, 32],
        stage_mid_channels=[8, 8, 16, 16],
        stage_out_channels=[16, 32, 32, 64],
        stage_num_blocks=[1, 1, 1, 1],
        stage_numb_of_layers=[2, 2, 2, 2],
        out_features=["stage3", "stage4"],
        return_idx=[2, 3],
    )
    levels = {
        **_sizes(classes),
        "backbone_config": backbone,
        "encoder_in_channels": [32, 64],
        "decoder_in_channels": [32, 32],
        "feat_strides": [16, 32],
        "num_feature_levels": 2,
        "encode_proj_layers": [1],
        "decoder_n_points": [4, 4],
    }
    _save(DFineForObjectDetection(DFineConfig(**levels)), folder, do_normalize=False)


def rf_detr(folder: Path, classes: int) -> None:
    """Write an RF-DETR checkpoint with a windowed DINOv2 backbone."""
    backbone = RfDetrDinov2Config(
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        image_size=SIDE,
        patch_size=16,
        num_windows=2,
        out_features=["stage2", "stage4"],
    )
    config = RfDetrConfig(
        num_labels=classes,
        backbone_config=backbone,
        d_model=32,
        num_queries=20,
        group_detr=1,
        decoder_layers=2,
        decoder_ffn_dim=32,
        decoder_self_attention_heads=2,
        decoder_cross_attention_heads=2,
        decoder_n_points=2,
    )
    _save(RfDetrForObjectDetection(config), folder, do_normalize=True)


def omdet_turbo(folder: Path, classes: int) -> None:
    """Write an OmDet-Turbo checkpoint with a Swin backbone and a single-letter tokenizer."""
    tokenizer = _letter_tokenizer()
    text = CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=TEXT_DIM,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        projection_dim=TEXT_DIM,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id,
    )
    vision = SwinConfig(
        image_size=SIDE,
        embed_dim=16,
        depths=[1, 1, 1, 1],
        num_heads=[1, 2, 2, 4],
        out_features=["stage2", "stage3", "stage4"],
    )
    config = OmDetTurboConfig(
        text_config=text,
        backbone_config=vision,
        use_timm_backbone=False,
        backbone=None,
        apply_layernorm_after_vision_backbone=False,
        image_size=SIDE,
        text_projection_in_dim=TEXT_DIM,
        text_projection_out_dim=TEXT_DIM,
        task_encoder_hidden_dim=32,
        class_embed_dim=TEXT_DIM,
        class_distance_type="cosine",
        num_queries=20,
        encoder_hidden_dim=32,
        decoder_hidden_dim=32,
        vision_features_channels=[32, 32, 32],
        backbone_feat_channels=[32, 64, 128],
        encoder_in_channels=[32, 64, 128],
        encoder_dim_feedforward=32,
        decoder_dim_feedforward=32,
        encoder_attention_heads=2,
        decoder_num_heads=2,
        decoder_num_layers=2,
    )
    model = OmDetTurboForObjectDetection(config)
    torch.nn.init.normal_(model.language_backbone.text_projection, std=0.2)
    tokenizer.save_pretrained(folder)
    _save(model, folder, do_normalize=True)


def mm_grounding_dino(folder: Path, classes: int) -> None:
    """Write an MM-Grounding-DINO checkpoint, which is LLMDet's architecture too, with a letter tokenizer."""
    vocabulary = _bert_vocabulary()
    text = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    vision = SwinConfig(
        image_size=SIDE,
        embed_dim=16,
        depths=[1, 1, 1, 1],
        num_heads=[1, 2, 2, 4],
        out_features=["stage2", "stage3", "stage4"],
    )
    config = MMGroundingDinoConfig(
        backbone_config=vision,
        text_config=text,
        d_model=32,
        num_queries=20,
        encoder_layers=1,
        encoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_layers=2,
        decoder_ffn_dim=32,
        decoder_attention_heads=2,
    )
    BertTokenizerFast(vocab={token: number for number, token in enumerate(vocabulary)}).save_pretrained(
        folder
    )
    edges = {"shortest_edge": 96, "longest_edge": 128}
    _save(MMGroundingDinoForObjectDetection(config), folder, do_normalize=True, size=edges)


QWEN_TOKENS = ("im_start", "im_end", "vision_start", "vision_end", "image_pad", "video_pad")
QWEN_ANSWER = """```json
[{"bbox_2d": [33, 71, 209, 386]},
{"bbox_2d": [100, 250, 500, 998], "label": "red mug"}, {"bbox_2d": [604, 0, 1000, 47], "label": "baguette"}]
```"""
"""Answer of the small Qwen3-VL: a box that fits any single phrase, and two with labels."""
QWEN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{% for part in message.content %}"
    "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}"
    "{% endif %}{% endfor %}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}"
)


def qwen3_vl(folder: Path, classes: int) -> None:
    """Write a Qwen3-VL checkpoint whose language model writes `QWEN_ANSWER` about every image.

    The weights of its image encoder and attention are random; the last layer maps each token to its successor
    in the answer.
    """
    pieces = [QWEN_ANSWER[start : start + 8] for start in range(0, len(QWEN_ANSWER), 8)]
    letters = sorted(ByteLevel.alphabet())
    tokenizer = Qwen2Tokenizer(vocab={letter: number for number, letter in enumerate(letters)}, merges=[])
    special = [f"<|{name}|>" for name in QWEN_TOKENS]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.add_tokens([AddedToken(piece, normalized=False) for piece in pieces])
    number_of = dict(zip(QWEN_TOKENS, tokenizer.convert_tokens_to_ids(special), strict=True))
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 128,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 32,
        "rope_parameters": {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [8, 4, 4]},
        "eos_token_id": number_of["im_end"],
    }
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_heads": 2,
        "out_hidden_size": 128,
        "num_position_embeddings": 64,
        "deepstack_visual_indexes": [0, 1],
    }
    places = {f"{name}_token_id": number_of[name] for name in ("vision_start", "vision_end")}
    places |= {f"{name}_token_id": number_of[f"{name}_pad"] for name in ("image", "video")}
    model = Qwen3VLForConditionalGeneration(Qwen3VLConfig(text_config=text, vision_config=vision, **places))
    first = tokenizer.encode("\n")
    _answer(model, [*first, *tokenizer.convert_tokens_to_ids(pieces), number_of["im_end"]])
    model.generation_config.eos_token_id = number_of["im_end"]
    tokenizer.save_pretrained(folder)
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": QWEN_TEMPLATE}))
    model.eval().save_pretrained(folder)
    preprocessor = {
        "image_processor_type": "Qwen2VLImageProcessorFast",
        "processor_class": "Qwen3VLProcessor",
        "size": {"shortest_edge": 65536, "longest_edge": 16777216},
        "patch_size": 16,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))


def _answer(model: Qwen3VLForConditionalGeneration, tokens: Sequence[int]) -> None:
    """Make each token the most probable one after the token before it."""
    embedding = torch.nn.init.normal_(model.get_input_embeddings().weight.data)
    head = torch.nn.init.zeros_(model.get_output_embeddings().weight.data)
    for token, following in pairwise(tokens):
        head[following] += embedding[token]
    for name, weight in model.model.language_model.named_parameters():
        if name.endswith(("o_proj.weight", "down_proj.weight")):
            weight.data.mul_(1e-3)


def _bert_vocabulary() -> list[str]:
    """List BERT's special tokens and punctuation at their places, and letters as pieces of words."""
    tokens = [f"[unused{number}]" for number in range(1030)]
    tokens[0], tokens[100], tokens[101], tokens[102] = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
    tokens[1012], tokens[1029] = ".", "?"
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)] + [str(digit) for digit in range(10)]
    pieces = [*letters, *(f"##{letter}" for letter in letters)]
    tokens[103 : 103 + len(pieces)] = pieces
    return tokens


def _letter_tokenizer() -> CLIPTokenizer:
    """Build a tokenizer of printable letters, alone and at a word's end; CLIP pools at the highest id."""
    letters = [chr(code) for code in range(33, 127)]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={token: number for number, token in enumerate(tokens)}, merges=[])


def _save(
    model: torch.nn.Module, folder: Path, do_normalize: bool, size: Mapping[str, int] | None = None
) -> None:
    """Save a model with batch norms near 1: near 0, as initialised, all outputs of RT-DETR are equal."""
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.8, 1.2)
    model.eval().save_pretrained(folder)
    preprocessor = {
        "image_processor_type": "RTDetrImageProcessor",
        "size": size or {"height": SIDE, "width": SIDE},
        "do_resize": True,
        "do_rescale": True,
        "do_normalize": do_normalize,
        "image_mean": [0.485, 0.456, 0.406],
        "image_std": [0.229, 0.224, 0.225],
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))


ARCHITECTURES: Mapping[str, Callable[[Path, int], None]] = {
    "rtdetr": rtdetr,
    "rtdetr_v2": rtdetr_v2,
    "d_fine": d_fine,
    "rf_detr": rf_detr,
    "omdet_turbo": omdet_turbo,
    "mm_grounding_dino": mm_grounding_dino,
    "qwen3_vl": qwen3_vl,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write checkpoints."""
    parser = argparse.ArgumentParser(description="Write small random checkpoints.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("architectures", nargs="*", help=", ".join(ARCHITECTURES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--classes", type=int, default=len(LABELS), help="number of classes")
    chosen = parser.parse_args(arguments)
    for architecture in chosen.architectures or ARCHITECTURES:
        torch.manual_seed(chosen.seed)
        folder = chosen.folder / architecture / "weights"
        folder.mkdir(parents=True, exist_ok=True)
        ARCHITECTURES[architecture](folder, chosen.classes)


if __name__ == "__main__":
    main()
