"""Execution providers by the name a user gives; never another one than asked for."""

from collections.abc import Mapping, Sequence

import onnxruntime

from openral_core.errors import listed
from openral_perception_ros.engines.errors import EngineError

ProviderOptions = Mapping[str, str | int]
PROVIDERS: Mapping[str, str] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "tensorrt": "TensorrtExecutionProvider",
}


class UnknownDevice(EngineError):
    """A device name nobody knows."""

    def __init__(self, device: str, valid: Sequence[str]) -> None:
        super().__init__(
            f"unknown device {device!r}: valid are {listed(valid)}, each with ':<number>' if wanted"
        )


class ProviderUnavailable(EngineError):
    """A device this build or this machine does not have; the next best is not taken in its place."""

    def __init__(self, device: str, found: Sequence[str]) -> None:
        super().__init__(f"ONNX Runtime cannot run on {device!r} here: it offers {listed(found)}")


def provider_of(device: str) -> tuple[str, dict[str, str | int]]:
    """Provider name and options of a device such as ``cuda:1``.

    Raises:
        UnknownDevice: If the name is none of ours.
        ProviderUnavailable: If this build of ONNX Runtime lacks it.
    """
    kind, _, number = device.partition(":")
    name = PROVIDERS.get(kind)
    if name is None or (number and not number.isdigit()):
        raise UnknownDevice(device, sorted(PROVIDERS))
    if name not in onnxruntime.get_available_providers():
        raise ProviderUnavailable(device, onnxruntime.get_available_providers())
    return name, {"device_id": int(number)} if number and kind != "cpu" else {}


def open_session(path: str, device: str, threads: int) -> onnxruntime.InferenceSession:
    """A session that runs on ``device`` or does not exist.

    Raises:
        UnknownDevice, ProviderUnavailable: See `provider_of`; also when the provider fails to start.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    provider = provider_of(device)
    session = onnxruntime.InferenceSession(path, options, providers=[provider])
    if session.get_providers()[0] != provider[0]:
        raise ProviderUnavailable(device, session.get_providers())
    return session
