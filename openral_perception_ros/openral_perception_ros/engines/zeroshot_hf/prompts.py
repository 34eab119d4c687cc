"""The words a model is asked with, tokenised once per list of labels."""

from functools import lru_cache
from pathlib import Path

import torch
from transformers import AutoTokenizer

Prompt = dict[str, torch.Tensor]


class Prompter:
    """Tokenised prompts of a model, the last ``remembered`` of them kept.

    Padding goes to the longest phrase: to the full 77 tokens costs twenty times as much and changes nothing.
    """

    def __init__(self, checkpoint: Path, task: str, device: torch.device, remembered: int) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(
            checkpoint, local_files_only=True, trust_remote_code=False
        )
        self._task = task
        self._device = device
        self.prompt = lru_cache(remembered)(self._prompt)

    def _prompt(self, labels: tuple[str, ...]) -> Prompt:
        classes = self._tokens(list(labels))
        task = self._tokens([self._task.format(labels=", ".join(labels))])
        return {
            "classes_input_ids": classes["input_ids"],
            "classes_attention_mask": classes["attention_mask"],
            "tasks_input_ids": task["input_ids"],
            "tasks_attention_mask": task["attention_mask"],
            "classes_structure": torch.tensor([len(labels)], dtype=torch.long, device=self._device),
        }

    def _tokens(self, texts: list[str]) -> Prompt:
        encoded = self._tokenizer(
            texts, padding="longest", truncation=True, max_length=77, return_tensors="pt"
        )
        return {key: value.to(self._device) for key, value in encoded.items()}
