"""Export of a recorded run as one HTML file that opens from disk.

The file holds the modules of the page, the sections at every moment, and the images. Whatever came from the
robot is compressed and in base64, so that no text of it is ever read as markup; a content security policy
forbids every request.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_testing.recordings.ros.source import RecordedImage, RecordingSource


TICK = 0.25
"""Time between two moments of an exported run [s]: the step of its scrubber while it plays."""
LONGEST_TICK = 8.0
"""Longest time between two moments [s] before a run counts as too long for its size."""
SHARE = 0.5
"""Largest share of the file for everything but images [1]."""
MEGABYTE = 1_000_000  # [bytes]
GROWTH = 1.36
"""Size of an image in the file per size of its JPEG [1]: base64 that gzip compresses, in base64."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:"
)
POLICY_TAG = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
IMPORT = re.compile(r'(?P<before>from\s+|import\s+)"\./(?P<name>[a-z_]+\.js)"')
REPLACED = {"api.js": "export.js"}
"""Modules that an exported page has other ones for."""
Moments = dict[str, list[list[object]]]


class TooLarge(OpenRALError):
    """A run that does not fit into the size of an export even without images."""

    def __init__(self, max_size: int) -> None:
        super().__init__(
            f"the run does not fit into {max_size / MEGABYTE:g} MB even without images: raise --max-size-mb"
        )


class NotExported(OpenRALError):
    """A file that cannot be written."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path} cannot be written: {error.strerror or error}")


@dataclass(frozen=True, slots=True)
class ExportedRun:
    """One HTML document; ``images`` of ``recorded`` images are in it, and a moment every ``tick`` [s]."""

    html: str
    images: int
    recorded: int
    tick: float


def export_run(source: RecordingSource, max_size: int) -> ExportedRun:
    """Return a run as one HTML document of at most ``max_size`` [bytes].

    Moments, then images, are thinned evenly until it fits; pictures of objects that would take more than a
    quarter of it are left out.

    Raises:
        TooLarge: If it does not fit even without images.
    """
    room = max_size - len(page(""))
    tick, sections = TICK, moments(source, TICK)
    pictures = source.pictures()
    size = sum(len(jpeg) for each in pictures.values() for _, jpeg in each)
    if GROWTH * size > SHARE * SHARE * room:
        pictures = {}
    while len(_packed(source, sections, pictures, {})) > SHARE * room:
        tick *= 2.0
        if tick > LONGEST_TICK:
            raise TooLarge(max_size)
        sections = moments(source, tick)
    remaining = room - len(_packed(source, sections, pictures, {}))
    recorded = {camera: source.images(camera) for camera in source.cameras}
    chosen = _thinned(recorded, remaining)
    html = page(_packed(source, sections, pictures, chosen))
    count = [sum(map(len, each.values())) for each in (chosen, recorded)]
    return ExportedRun(html, count[0], count[1], tick)


def moments(source: RecordingSource, tick: float) -> Moments:
    """Return each section's (time [s], value) at every tick and mark at which it changed."""
    from openral_console.ros.fold import Fold
    from openral_console.sections import Sections

    marks = {float(mark["time"]) for mark in source.marks}
    changes = {math.ceil(time / tick) * tick for time, _, _ in source.messages()}
    times = sorted({0.0} | changes | marks)
    sections = Sections()
    fold, messages = Fold(sections), source.messages()
    values: Moments = {}
    versions: dict[str, int] = {}
    message = next(messages, None)
    for time in times:
        while message is not None and message[0] <= time + 1e-3:
            fold.apply(message[1], message[2])
            message = next(messages, None)
        for name, version, text in sections.newer(versions, {}):
            versions[name] = version
            values.setdefault(name, []).append([round(time, 3), json.loads(text)])
    return values


def page(content: str) -> str:
    """Return the page with its modules and style inside, and packed ``content``."""
    from openral_console.server import STATIC

    names = sorted(path.name for path in STATIC.glob("*.js"))
    modules = {f"openral/{name}": _module(name) for name in names if name not in REPLACED.values()}
    parts = {
        '<link rel="icon" href="icon.svg">': POLICY_TAG,
        '<link rel="stylesheet" href="style.css">': f"<style>{_text('style.css')}</style>",
        '<script type="module" src="main.js"></script>': (
            f'<script type="importmap">{json.dumps({"imports": modules})}</script>'
            '<script type="module">import "openral/main.js";</script>'
        ),
        "</body>": f'<script type="application/octet-stream" id="content">{content}</script>\n</body>',
    }
    html = _text("index.html")
    for before, after in parts.items():
        html = html.replace(before, after)
    return html


def _module(name: str) -> str:
    """Return a module as a data URL whose imports are names of the import map."""
    text = IMPORT.sub(r'\g<before>"openral/\g<name>"', _text(REPLACED.get(name, name)))
    return f"data:text/javascript;base64,{b64encode(text.encode()).decode()}"


def _text(name: str) -> str:
    from openral_console.server import STATIC

    return (STATIC / name).read_text(encoding="utf-8")


def _packed(
    source: RecordingSource,
    sections: Moments,
    pictures: Mapping[str, Sequence[tuple[float, bytes]]],
    images: Mapping[str, Sequence[RecordedImage]],
) -> str:
    content = {
        "run": source.sections.get("run"),
        "sections": sections,
        "pictures": {
            name: [[round(time, 3), b64encode(jpeg).decode()] for time, jpeg in versions]
            for name, versions in pictures.items()
        },
        "images": {
            camera: [
                [
                    round(each.time, 3),
                    each.frame.stamp,
                    each.frame.frame_id,
                    b64encode(each.frame.jpeg).decode(),
                ]
                for each in frames
            ]
            for camera, frames in images.items()
        },
    }
    return b64encode(gzip.compress(json.dumps(content).encode(), mtime=0)).decode()


def _thinned(
    images: Mapping[str, Sequence[RecordedImage]], size: float
) -> dict[str, Sequence[RecordedImage]]:
    """Return every n-th image of each camera, with the smallest n at which they fit."""
    longest = max(map(len, images.values()), default=0)
    for step in range(1, longest + 1):
        chosen = {camera: frames[::step] for camera, frames in images.items()}
        if GROWTH * sum(len(each.frame.jpeg) for frames in chosen.values() for each in frames) <= size:
            return chosen
    return dict.fromkeys(images, ())
