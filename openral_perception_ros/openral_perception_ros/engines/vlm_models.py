"""Vision-language models in PyTorch: an image and a question in, text out."""

from enum import StrEnum
from pathlib import Path

import torch
import transformers
from PIL import Image
from transformers import (
    AutoModel,
    AutoModelForImageTextToText,
    AutoProcessor,
    AutoTokenizer,
    BitsAndBytesConfig,
)

from openral_perception_ros.engines.grounding_answers import Size, UnreadableAnswer, excerpt
from openral_perception_ros.engines.torch_utils import TorchDevice


class AnswerCutOff(UnreadableAnswer):
    """An answer that did not end before its last token."""

    def __init__(self, tokens: int, text: str) -> None:
        super().__init__(f"it was cut off after {tokens} tokens (max_new_tokens): {excerpt(text)}")


class Quantisation(StrEnum):
    """Quantisations a manifest may choose."""

    NONE = "none"
    NF4 = "nf4"

    def config(self, dtype: torch.dtype) -> BitsAndBytesConfig | None:
        """Return the transformers configuration; None loads the weights unquantised."""
        if self is Quantisation.NONE:
            return None
        return BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=dtype,
            bnb_4bit_use_double_quant=True,
        )


class CheckpointCodeModel:
    """A model that is run by the code of its checkpoint, with LocateAnything's interface."""

    def __init__(
        self,
        checkpoint: Path,
        placement: TorchDevice,
        quantisation: Quantisation,
        max_new_tokens: int,
        generation_mode: str,
    ) -> None:
        self._placement, self._max_new_tokens = placement, max_new_tokens
        self._generation_mode = generation_mode
        sources = {"local_files_only": True, "trust_remote_code": True}
        self._tokenizer = AutoTokenizer.from_pretrained(checkpoint, **sources)
        self._processor = AutoProcessor.from_pretrained(checkpoint, **sources)
        self._model = AutoModel.from_pretrained(
            checkpoint,
            dtype=placement.dtype,
            device_map={"": placement.device},
            quantization_config=quantisation.config(placement.dtype),
            **sources,
        ).eval()

    def ask(self, image: Image.Image, question: str) -> tuple[str, Size]:
        """See `VisionLanguageModel.ask`."""
        content = [{"type": "image", "image": image}, {"type": "text", "text": question}]
        messages = [{"role": "user", "content": content}]
        prompt = self._processor.py_apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        images, videos = self._processor.process_vision_info(messages)
        inputs = self._processor(text=[prompt], images=images, videos=videos, return_tensors="pt")
        inputs = inputs.to(self._placement.device)
        inputs["pixel_values"] = inputs["pixel_values"].to(self._placement.dtype)
        answer = self._model.generate(
            **inputs,
            tokenizer=self._tokenizer,
            generation_mode=self._generation_mode,
            max_new_tokens=self._max_new_tokens,
            do_sample=False,
            use_cache=True,
        )
        text = str(answer[0] if isinstance(answer, tuple) else answer)
        if len(self._tokenizer(text)["input_ids"]) >= self._max_new_tokens:
            raise AnswerCutOff(self._max_new_tokens, text)
        return text, image.size


class TransformersModel:
    """A model of the Qwen3-VL architecture, run by transformers; no code of the checkpoint runs."""

    def __init__(
        self, checkpoint: Path, placement: TorchDevice, quantisation: Quantisation, max_new_tokens: int
    ) -> None:
        self._placement, self._max_new_tokens = placement, max_new_tokens
        sources = {"local_files_only": True, "trust_remote_code": False}
        self._processor = _image_processor().from_pretrained(checkpoint, **sources)
        self._model = AutoModelForImageTextToText.from_pretrained(
            checkpoint,
            dtype=placement.dtype,
            device_map={"": placement.device},
            quantization_config=quantisation.config(placement.dtype),
            **sources,
        ).eval()
        ends = self._model.generation_config.eos_token_id
        self._ends = set(ends if isinstance(ends, list) else [ends])

    def ask(self, image: Image.Image, question: str) -> tuple[str, Size]:
        """See `VisionLanguageModel.ask`."""
        content = [{"type": "image", "image": image}, {"type": "text", "text": question}]
        inputs = self._processor.apply_chat_template(
            [{"role": "user", "content": content}],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        ).to(self._placement.device, self._placement.dtype)
        # The checkpoint's generation_config.json has settings of sampling, which greedy search reports.
        tokens = self._model.generate(
            **inputs,
            max_new_tokens=self._max_new_tokens,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
        )
        new = tokens[:, inputs["input_ids"].shape[1] :]
        (text,) = self._processor.batch_decode(new, skip_special_tokens=True)
        if new.shape[1] >= self._max_new_tokens and int(new[0, -1]) not in self._ends:
            raise AnswerCutOff(self._max_new_tokens, str(text))
        _, rows, columns = inputs["image_grid_thw"][0].tolist()
        patch = self._processor.image_processor.patch_size
        return str(text), (columns * patch, rows * patch)


def _image_processor() -> type[transformers.ProcessorMixin]:
    """Return Qwen3-VL's processor without its part for videos, the only one that needs torchvision.

    The class is looked up here because older versions of transformers, in other environments, lack it.
    """

    class ImageProcessor(transformers.Qwen3VLProcessor):
        def __init__(
            self,
            image_processor: object = None,
            tokenizer: object = None,
            chat_template: str | None = None,
        ) -> None:
            super().__init__(image_processor, tokenizer, None, chat_template)

    return ImageProcessor
