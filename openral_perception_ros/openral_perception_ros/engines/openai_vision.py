"""Engine for vision-language models behind an OpenAI-compatible endpoint, such as vLLM's or Ollama's."""

import asyncio
import base64
import os
import ssl
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import cv2
import httpx2
import numpy as np
import openai
from openai.types.chat import ChatCompletion
from pydantic import Field

from openral_core.detectors import Detection
from openral_core.documents import parse_document
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.engines.base import EngineFrame, LoadOptions
from openral_perception_ros.engines.errors import EmptyQuery
from openral_perception_ros.engines.grounding_answers import (
    LIST_QUESTION,
    AnswerFormat,
    UnreadableAnswer,
    answer_to_detections,
    excerpt,
    listed_terms,
    parse_answer,
)
from openral_perception_ros.engines.image_processing import ResizeMode, letterbox_transform
from openral_perception_ros.engines.remote import (
    VARIABLE,
    InvalidEndpoint,
    RemoteAddress,
    RemoteCalls,
    RemoteOptions,
    RemoteRefused,
    RemoteTimedOut,
    RemoteUnavailable,
)

SCHEMES = {"http": 80, "https": 443}
MAX_BODY = 4_000_000
"""Largest body of an answer [bytes]: some thousand times that of one with the most boxes."""
BUSY = (openai.RateLimitError, openai.InternalServerError, openai.APIConnectionError)
"""Errors after which a request may be repeated."""
FINISHED = ("stop", "eos_token", "stop_sequence", "end_turn")
"""Values of ``finish_reason`` of an answer that the model ended; all but the first are of older servers."""
TEXT_PARTS = ("text", "output_text")
"""Types of the parts of an answer that are its text; others, such as ``thinking``, are not."""


class OpenAIVisionOptions(RemoteOptions):
    """The manifest's ``options``; ``{terms}`` in ``question`` is replaced by the requested terms as JSON.

    The API key is read from the variable ``key_variable``, never from a file.
    """

    key_variable: str = Field(default="", pattern=VARIABLE)
    answer_format: AnswerFormat = AnswerFormat.JSON_THOUSANDTHS
    long_edge: int = Field(default=1024, ge=64, description="larger images are scaled down to this [px]")
    jpeg_quality: int = Field(default=90, ge=1, le=100)
    max_tokens: int = Field(default=2048, ge=16)
    question: str = LIST_QUESTION


class BodyTooLarge(RemoteRefused):
    """An answer whose body exceeds the limit."""

    def __init__(self, address: str) -> None:
        super().__init__(address, f"its answer is larger than {MAX_BODY} bytes")


class _BoundedStream(httpx2.AsyncByteStream):
    """Body of a response that ends with an error at `MAX_BODY`."""

    def __init__(self, stream: httpx2.AsyncByteStream, address: str) -> None:
        self._stream, self._address = stream, address

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for chunk in self._stream:
            received += len(chunk)
            if received > MAX_BODY:
                raise BodyTooLarge(self._address)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class OpenAIVision:
    """Open-vocabulary engine without scores, served elsewhere."""

    labels: tuple[str, ...] = ()

    def __init__(
        self, manifest: DetectorManifest, options: OpenAIVisionOptions, address: RemoteAddress, key: str
    ) -> None:
        self._id, self._options, self._address, self._key = manifest.id, options, address, key
        self._calls = RemoteCalls(options, address)
        file = str(address.certificates) if address.certificates else None
        self._certificates = ssl.create_default_context(cafile=file)

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`; the model's memory is the endpoint's."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect`."""
        if not terms:
            raise EmptyQuery(self._id)
        image = self._shrunk(frame.plane(Sensor.RGB).astype(np.uint8, copy=False))
        question = self._options.question.replace("{terms}", listed_terms(terms))
        text = self._calls.call(lambda seconds: self._ask(image, question, seconds))
        size = (image.shape[1], image.shape[0])
        return answer_to_detections(parse_answer(text, self._options.answer_format, size), terms, frame.size)

    def _shrunk(self, rgb: np.ndarray) -> np.ndarray:
        size, edge = (rgb.shape[1], rgb.shape[0]), self._options.long_edge
        if max(size) <= edge:
            return rgb
        content = letterbox_transform(ResizeMode.LETTERBOX, size, (edge, edge)).content
        return np.asarray(cv2.resize(rgb, content, interpolation=cv2.INTER_AREA))

    def _ask(self, image: np.ndarray, question: str, seconds: float) -> str:
        """Run one request in an event loop that is abandoned at the deadline, whatever it waits for."""
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(asyncio.wait_for(self._answer(image, question), seconds))
        except (TimeoutError, openai.APITimeoutError) as error:
            raise RemoteTimedOut(str(self._address), self._options.deadline) from error
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, RemoteRefused):
                raise error.__cause__ from error
            raise RemoteUnavailable(str(self._address), self._safe(error.__cause__ or error)) from error
        except BUSY as error:
            raise RemoteUnavailable(str(self._address), self._safe(error)) from error
        except (openai.OpenAIError, ValueError) as error:  # ValueError: a body that is not JSON or text
            raise RemoteRefused(str(self._address), self._safe(error)) from error
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def _safe(self, error: BaseException) -> str:
        """Return the words of an error without the key."""
        words = f"{type(error).__name__}: {error}"
        return words.replace(self._key, "***") if self._key else words

    async def _answer(self, image: np.ndarray, question: str) -> str:
        async with self._http() as http:
            client = openai.AsyncOpenAI(
                api_key=self._key or "none", base_url=str(self._address), max_retries=0, http_client=http
            )
            completion = await client.chat.completions.create(
                model=self._options.model,
                messages=[
                    {
                        "role": "user",
                        "content": [
                            {"type": "image_url", "image_url": {"url": self._data_url(image)}},
                            {"type": "text", "text": question},
                        ],
                    }
                ],
                temperature=0.0,
                max_tokens=self._options.max_tokens,
            )
            return text_of(completion)

    def _http(self) -> httpx2.AsyncClient:
        async def bound(response: httpx2.Response) -> None:
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _BoundedStream(response.stream, str(self._address))

        return httpx2.AsyncClient(
            verify=self._certificates,
            follow_redirects=False,
            trust_env=False,
            headers={"accept-encoding": "identity"},
            event_hooks={"response": [bound]},
            timeout=self._options.deadline,
        )

    def _data_url(self, image: np.ndarray) -> str:
        quality = [cv2.IMWRITE_JPEG_QUALITY, self._options.jpeg_quality]
        _, encoded = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), quality)
        return f"data:image/jpeg;base64,{base64.b64encode(encoded.tobytes()).decode()}"


def text_of(completion: ChatCompletion) -> str:
    """Return the text of the one, finished answer; the endpoint may not honour the types of a completion.

    What the endpoint tells apart as a thought (``reasoning_content`` beside the text, parts of another type
    in a list) is no part of it.

    Raises:
        UnreadableAnswer: If there is no such text.
    """
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or len(choices) != 1:
        raise UnreadableAnswer(f"the completion has no single answer: {excerpt(choices)}")
    message, end = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
    if end not in FINISHED:
        raise UnreadableAnswer(f"it was not finished (finish_reason: {excerpt(end)})")
    for key in ("refusal", "tool_calls"):
        if value := getattr(message, key, None):
            raise UnreadableAnswer(f"the completion has {key}: {excerpt(value)}")
    content = getattr(message, "content", None)
    if isinstance(content, list):
        content = "".join(_text_of_part(part) for part in content)
    if not isinstance(content, str) or not content.strip():
        raise UnreadableAnswer("the completion has no text")
    return content


def _text_of_part(part: object) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") in TEXT_PARTS else ""
    return text if isinstance(text, str) else ""


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> OpenAIVision:
    """Prepare the endpoint of a manifest; the warm-up contacts it.

    Raises:
        InvalidEndpoint: If its address is missing or wrong, or the key would travel unencrypted.
    """
    own = parse_document(OpenAIVisionOptions, manifest.options, folder / "rskill.yaml: options")
    address = RemoteAddress.of(own, folder, SCHEMES)
    key = os.environ.get(own.key_variable, "") if own.key_variable else ""
    if key and address.scheme == "http" and not address.is_loopback:
        raise InvalidEndpoint(str(address), f"{own.key_variable} would be sent unencrypted: use https")
    return OpenAIVision(manifest, own, address, key)
