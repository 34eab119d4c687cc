"""Write a small grounding checkpoint that ships its own code.

``python -m openral_testing.detectors.tiny_vlm <folder>``
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast

from openral_testing.detectors import stub_vlm

CODE = Path(stub_vlm.__file__)
CLASSES = {"AutoConfig": "StubConfig", "AutoModel": "StubModel", "AutoProcessor": "StubProcessor"}


def write(folder: Path) -> None:
    """Write configuration, random weights, tokenizer, processor and their code."""
    torch.manual_seed(0)
    auto_map = {auto: f"{CODE.stem}.{name}" for auto, name in CLASSES.items()}
    model = stub_vlm.StubModel(stub_vlm.StubConfig(auto_map=auto_map))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(WordLevel({"?": 0}, unk_token="?")))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    processor = stub_vlm.StubProcessor(tokenizer)
    processor.auto_map = {"AutoProcessor": auto_map["AutoProcessor"]}
    processor.save_pretrained(folder)
    shutil.copy(CODE, folder / CODE.name)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write one checkpoint."""
    parser = argparse.ArgumentParser(description="Write a small random grounding checkpoint.")
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    write(chosen.folder)


if __name__ == "__main__":
    main()
