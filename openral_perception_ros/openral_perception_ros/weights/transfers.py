"""One file over a line that may break: what arrived stays and the next attempt goes on from there."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from huggingface_hub.utils import get_session

CHUNK = 1 << 18
NOTHING_MORE = 416
PARTIAL = 206


def bring(
    url: str, headers: Mapping[str, str], target: Path, part: Path, on_bytes: Callable[[int], None]
) -> None:
    """Fetch ``url`` to ``target`` by way of ``part``, which may hold its beginning already.

    Args:
        url: Where it is; redirections are followed, secrets stay with the first host.
        headers: Of the request.
        target: Replaced when everything arrived.
        part: Grows as bytes come; belongs to exactly this file of this revision.
        on_bytes: Told how many bytes there are by now.

    Raises:
        httpx2.HTTPError: If the line breaks or the server refuses.
    """
    have = part.stat().st_size if part.exists() else 0
    asked = {**headers, "Range": f"bytes={have}-"} if have else dict(headers)
    with get_session().stream("GET", url, headers=asked, follow_redirects=True) as response:
        if response.status_code != NOTHING_MORE:
            response.raise_for_status()
            _append(response.iter_raw(CHUNK), part, have if response.status_code == PARTIAL else 0, on_bytes)
    part.replace(target)


def _append(chunks: Iterable[bytes], part: Path, have: int, on_bytes: Callable[[int], None]) -> None:
    with part.open("ab" if have else "wb") as file:
        for chunk in chunks:
            file.write(chunk)
            on_bytes(file.tell())
