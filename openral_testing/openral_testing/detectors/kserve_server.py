"""Small KServe v2 server over gRPC whose models find the bright part of an image, or fail on purpose.

``python -m openral_testing.detectors.kserve_server [port]``, in an environment that has tritonclient; it
prints its port. The model named in a request decides about tensors and faults; see `MODELS`.
"""

import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import grpc
import numpy as np
from numpy.typing import NDArray
from tritonclient.grpc import service_pb2 as messages
from tritonclient.grpc.service_pb2_grpc import (
    GRPCInferenceServiceServicer,
    add_GRPCInferenceServiceServicer_to_server,
)
from tritonclient.utils import deserialize_bytes_tensor, triton_to_np_dtype

WIDTH, HEIGHT = 64, 48
"""Size of the models' input [px]."""
CLASSES = 2  # [count]
BRIGHT = 0.75
"""Fraction of full brightness above which a pixel belongs to the object."""
NCHW, NHWC = (1, 3, HEIGHT, WIDTH), (1, HEIGHT, WIDTH, 3)
Outputs = dict[str, NDArray[np.generic]]


def bright_box(pixels: NDArray[np.generic]) -> tuple[float, float, float, float]:
    """Return x_min, y_min, x_max, y_max [px] of what is bright; all of the image if nothing is."""
    image = pixels[0] if pixels.shape == NHWC else pixels[0].transpose(1, 2, 0)
    full = 255.0 if image.dtype == np.uint8 else 1.0
    rows, columns = np.nonzero(image.astype(np.float32).mean(axis=2) > BRIGHT * full)
    if rows.size == 0:
        return 0.0, 0.0, float(WIDTH), float(HEIGHT)
    return float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1)


def detr(pixels: NDArray[np.generic], phrases: int = CLASSES) -> Outputs:
    """Answer like RT-DETR: three queries, of which the second has the object as the last class."""
    x_min, y_min, x_max, y_max = bright_box(pixels)
    logits, boxes = np.full((1, 3, phrases), -8.0, np.float32), np.full((1, 3, 4), 0.5, np.float32)
    logits[0, 1, -1] = 4.0
    centre = ((x_min + x_max) / 2 / WIDTH, (y_min + y_max) / 2 / HEIGHT)
    boxes[0, 1] = (*centre, (x_max - x_min) / WIDTH, (y_max - y_min) / HEIGHT)
    return {"logits": logits, "pred_boxes": boxes}


def final(pixels: NDArray[np.generic]) -> Outputs:
    """Answer with final boxes in pixels of the input."""
    boxes = np.array([bright_box(pixels), (1, 1, 2, 2)], np.float32)
    return {
        "pred_boxes": boxes,
        "scores": np.array([0.9, 0.01], np.float32),
        "classes": np.array([1, 0], np.int64),
    }


@dataclass
class Model:
    """A model: its tensors and what it answers; ``status`` is that of a failure, ``times`` how often."""

    run: Callable[[NDArray[np.generic]], Outputs] = detr
    shape: tuple[int, ...] = NCHW
    image_type: str = "FP32"
    outputs: Mapping[str, str] = field(default_factory=lambda: {"logits": "FP32", "pred_boxes": "FP32"})
    phrases: bool = False
    delay: float = 0.0
    status: grpc.StatusCode | None = None
    times: int = 1_000_000
    cut: int = 0


FINAL = {"pred_boxes": "FP32", "scores": "FP32", "classes": "INT64"}
MODELS: Mapping[str, Model] = {
    "detr": Model(),
    "final": Model(final, NHWC, "UINT8", FINAL),
    "phrases": Model(phrases=True),
    "flaky": Model(status=grpc.StatusCode.UNAVAILABLE, times=2),
    "busy": Model(status=grpc.StatusCode.RESOURCE_EXHAUSTED),
    "strict": Model(status=grpc.StatusCode.INVALID_ARGUMENT),
    "slow": Model(delay=30.0),
    "not-finite": Model(lambda pixels: {**detr(pixels), "logits": np.full((1, 3, 2), np.nan, np.float32)}),
    "other-classes": Model(lambda pixels: detr(pixels, phrases=5)),
    "other-type": Model(lambda pixels: {**detr(pixels), "logits": np.zeros((1, 3, 2), np.float64)}),
    "one-output": Model(lambda pixels: {"pred_boxes": detr(pixels)["pred_boxes"]}),
    "cut": Model(cut=4),
    "inverted": Model(
        lambda pixels: {**final(pixels), "pred_boxes": np.array([[30, 9, 2, 12]] * 2, np.float32)},
        outputs=FINAL,
    ),
    "unknown-class": Model(lambda pixels: {**final(pixels), "classes": np.array([7, 0])}, outputs=FINAL),
}
NAMES = {np.dtype(triton_to_np_dtype(name)): name for name in ("FP32", "FP64", "INT64")}


class Server(GRPCInferenceServiceServicer):
    """The part of the protocol that clients of detectors use."""

    def __init__(self) -> None:
        self._failed: dict[str, int] = {}

    def ModelMetadata(
        self, request: messages.ModelMetadataRequest, context: grpc.ServicerContext
    ) -> messages.ModelMetadataResponse:
        """Describe a model."""
        model = self._model(request.name, context)
        described = messages.ModelMetadataResponse(name=request.name, versions=["1"], platform="numpy")
        described.inputs.add(name="pixel_values", datatype=model.image_type, shape=(-1, *model.shape[1:]))
        if model.phrases:
            described.inputs.add(name="phrases", datatype="BYTES", shape=(-1,))
        for name, kind in model.outputs.items():
            described.outputs.add(name=name, datatype=kind, shape=(-1, -1))
        return described

    def ModelInfer(
        self, request: messages.ModelInferRequest, context: grpc.ServicerContext
    ) -> messages.ModelInferResponse:
        """Run a model."""
        model = self._model(request.model_name, context)
        time.sleep(model.delay)
        failed = self._failed.get(request.model_name, 0)
        if model.status is not None and failed < model.times:
            self._failed[request.model_name] = failed + 1
            context.abort(model.status, f"{request.model_name} fails on purpose")
        inputs = dict(zip((item.name for item in request.inputs), request.raw_input_contents, strict=True))
        pixels = np.frombuffer(inputs["pixel_values"], triton_to_np_dtype(model.image_type))
        pixels = pixels.reshape(request.inputs[0].shape)
        if model.phrases:
            return _response(detr(pixels, len(deserialize_bytes_tensor(inputs["phrases"]))), model.cut)
        return _response(model.run(pixels), model.cut)

    def _model(self, name: str, context: grpc.ServicerContext) -> Model:
        if name not in MODELS:
            context.abort(grpc.StatusCode.NOT_FOUND, f"unknown model {name!r}")
        return MODELS[name]


def _response(outputs: Outputs, cut: int) -> messages.ModelInferResponse:
    answer = messages.ModelInferResponse()
    for name, values in outputs.items():
        answer.outputs.add(name=name, datatype=NAMES[values.dtype], shape=values.shape)
        answer.raw_output_contents.append(values.tobytes()[: values.nbytes - cut])
    return answer


def main(port: int = 0) -> None:
    """Serve until the process is killed."""
    server = grpc.server(ThreadPoolExecutor(8))
    add_GRPCInferenceServiceServicer_to_server(Server(), server)
    sys.stdout.write(f"{server.add_insecure_port(f'127.0.0.1:{port}')}\n")
    sys.stdout.flush()
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
