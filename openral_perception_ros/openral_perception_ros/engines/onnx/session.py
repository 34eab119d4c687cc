"""Sessions of ONNX Runtime on exactly the requested device, or the reason in words."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnxruntime

from openral_core.errors import format_choices
from openral_perception_ros.engines.errors import EngineError, OutOfMemory, WeightsUnreadable
from openral_perception_ros.engines.weights_record import problem_of_file

PROVIDERS: Mapping[str, str] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "tensorrt": "TensorrtExecutionProvider",
}


class UnknownDevice(EngineError):
    """An unknown device name."""

    def __init__(self, device: str, valid: Sequence[str]) -> None:
        super().__init__(
            f"unknown device {device!r}: valid are {format_choices(valid)}, optionally with ':<number>'"
        )


class ProviderUnavailable(EngineError):
    """A device that this build or machine lacks; there is no fallback."""

    def __init__(self, device: str, providers: Sequence[str]) -> None:
        super().__init__(f"ONNX Runtime cannot run on {device!r}: available are {format_choices(providers)}")


def provider_of(device: str) -> tuple[str, dict[str, str | int]]:
    """Map a device such as ``cuda:1`` to provider name and options.

    Raises:
        UnknownDevice: If the name is not known.
        ProviderUnavailable: If this build of ONNX Runtime lacks it.
    """
    kind, _, number = device.partition(":")
    name = PROVIDERS.get(kind)
    if name is None or (number and not number.isdigit()):
        raise UnknownDevice(device, sorted(PROVIDERS))
    if name not in onnxruntime.get_available_providers():
        raise ProviderUnavailable(device, onnxruntime.get_available_providers())
    return name, {"device_id": int(number)} if number and kind != "cpu" else {}


FAULTS: Mapping[str, str] = {
    r"Unsupported model IR version: \d+, max supported IR version: \d+": "export it with an older ONNX",
    r"Opset \d+ is under development|domain \S+ is till opset \d+": "export it with an older opset",
    r"External data path does not exist: \S+": "copy that file beside it, as it came from the export",
    r"Protobuf parsing failed": "it is no ONNX file, or it is cut off",
}
"""What to do about the part of an ONNX Runtime error that a pattern matches."""


def open_session(path: Path, device: str, threads: int) -> onnxruntime.InferenceSession:
    """Open a session on exactly this device.

    Raises:
        WeightsUnreadable: If the file is no model that ONNX Runtime can open.
        UnknownDevice, ProviderUnavailable: See `provider_of`; also when the provider fails to start.
    """
    provider = provider_of(device)
    if problem := problem_of_file(path):
        raise WeightsUnreadable(path, problem)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=[provider])
    except MemoryError as error:
        raise OutOfMemory("loading", str(error)) from error
    except Exception as error:  # the library's errors share no base class
        raise WeightsUnreadable(path, _in_words(error)) from error
    if session.get_providers()[0] != provider[0]:
        raise ProviderUnavailable(device, session.get_providers())
    return session


def _in_words(error: Exception) -> str:
    text = " ".join(str(error).split())
    for pattern, remedy in FAULTS.items():
        if parts := re.findall(pattern, text):
            return f"ONNX Runtime {onnxruntime.__version__} refuses it: {', '.join(parts)}: {remedy}"
    return f"ONNX Runtime {onnxruntime.__version__} refuses it: {text.rpartition(' failed:')[2][:400]}"
