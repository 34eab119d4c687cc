"""Weights in four bits."""

from enum import StrEnum

import torch
from transformers import BitsAndBytesConfig


class Quantisation(StrEnum):
    """Names a manifest may use."""

    NONE = "none"
    NF4 = "nf4"

    def config(self, dtype: torch.dtype) -> BitsAndBytesConfig | None:
        """What transformers is told; None loads the weights as they are."""
        if self is Quantisation.NONE:
            return None
        return BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=dtype,
            bnb_4bit_use_double_quant=True,
        )
