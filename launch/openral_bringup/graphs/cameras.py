"""Cameras as chosen: an id, or an id with the topics its images come below."""

import re
from collections.abc import Iterable, Mapping

from openral_bringup.graphs.nodes import NodeSpec
from openral_core.errors import OpenRALError

DEFAULT = ("head", "wrist")
STREAMS = ("image_raw", "depth", "camera_info", "semantic", "labels")
_ID = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_BASE = re.compile(r"/[a-zA-Z0-9_/]*[a-zA-Z0-9_]")


class InvalidCameraChoice(OpenRALError):
    """Words that are no camera."""

    def __init__(self, word: str) -> None:
        super().__init__(
            f"--camera {word}: expected an id, or id=/topics as in head=/front/camera "
            f"for /front/camera/{STREAMS[0]}"
        )


def camera_bases(words: Iterable[str], namespace: str) -> dict[str, str]:
    """Camera ids, the primary first, with the absolute name that their topics lie below.

    Raises:
        InvalidCameraChoice: If a word is not ``id`` or ``id=/topics``.
    """
    return {each: base or f"{namespace}/{each}" for each, base in map(_split, words)}


def check_compressed(nodes: Iterable[NodeSpec], namespace: str, problems: list[str]) -> None:
    """Add to ``problems`` each detector that asks the simulation for compressed images: it has raw ones."""
    for node in nodes:
        given = node.parameters.get("cameras")
        cameras = [word.partition(":=")[::2] for word in given] if isinstance(given, list) else []
        simulated = [name for name, base in cameras if name in DEFAULT and base == f"{namespace}/{name}"]
        if node.parameters.get("compressed") and simulated:
            problems.append(
                f"--set {node.key}.compressed=true: the simulation publishes no "
                f"{simulated[0]}/{STREAMS[0]}/compressed; leave it out, or name a camera that does, "
                f"as in --camera {simulated[0]}=/front/camera"
            )


def merged(words: Iterable[str]) -> tuple[str, ...]:
    """The default cameras with these on top: a known id gets another topic, a new one is added."""
    given = {word.partition("=")[0]: word for word in words}
    return tuple(({each: each for each in DEFAULT} | given).values())


def remaps_of(bases: Mapping[str, str], namespace: str) -> dict[str, str]:
    """What a node that listens to ``<id>/<stream>`` has to be told, for cameras that are elsewhere."""
    return {
        f"{namespace}/{camera}/{stream}": f"{base}/{stream}"
        for camera, base in bases.items()
        if base != f"{namespace}/{camera}"
        for stream in STREAMS
    }


def _split(word: str) -> tuple[str, str]:
    camera, equals, base = word.partition("=")
    base = base.removesuffix(f"/{STREAMS[0]}")
    if not _ID.fullmatch(camera) or (equals and not _BASE.fullmatch(base)):
        raise InvalidCameraChoice(word)
    return camera, base
