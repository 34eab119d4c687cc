"""The environment that builds the documentation site, and the script that draws its diagrams."""

import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path

from workspace.paths import Layout
from workspace.tool_environments import ensure_environment

REQUIREMENTS = "requirements/docs.txt"
MERMAID = "https://registry.npmjs.org/@mermaid-js/tiny/-/tiny-12.0.0.tgz"
MERMAID_MEMBER = "package/dist/mermaid.tiny.js"
MERMAID_SHA256 = "9f2807e402479d2864bfd9a95052076fc69d0ff45a0b25148b84b70fc33425b9"
"""Digest of the extracted member: MIT licence, 2.9 MB, fetched once instead of being in the repository."""
DOWNLOAD_TIMEOUT = 60.0
"""Longest wait for one answer of the registry [s]."""


def ensure_docs_environment(layout: Layout) -> None:
    """Make the environment unless its stamp matches the requirements."""
    home = layout.docs_environment
    ensure_environment(layout, "docs", home, (REQUIREMENTS,), "Installing mkdocs for the documentation site")
    _ensure_mermaid(home / "mermaid.js")


def _ensure_mermaid(file: Path) -> None:
    """Fetch the script unless it is there; without it the site shows diagrams as code."""
    if file.exists() and _sha256(file.read_bytes()) == MERMAID_SHA256:
        return
    try:
        with urllib.request.urlopen(MERMAID, timeout=DOWNLOAD_TIMEOUT) as answer:
            archive = io.BytesIO(answer.read())
        with tarfile.open(fileobj=archive) as members:
            member = members.extractfile(MERMAID_MEMBER)
            script = member.read() if member else b""
    except (OSError, tarfile.TarError, KeyError) as error:
        sys.stderr.write(f"Mermaid could not be fetched ({error}): diagrams will be shown as code.\n")
        return
    if _sha256(script) != MERMAID_SHA256:
        sys.stderr.write(f"{MERMAID} does not match its pinned digest: diagrams will be shown as code.\n")
        return
    file.write_bytes(script)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
