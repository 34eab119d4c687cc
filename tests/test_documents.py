"""Links of the documents resolve, the modules and files that they name exist, their Python blocks compile."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
MODULE = re.compile(r"`(openral_[a-z_]+(?:\.\w+)+)`")
FILE = re.compile(r"`((?:docs|examples|launch|openral_\w+|rskills|scenes|tests|tools)/[\w./-]+)`")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_into_the_repository_resolves(document: Path) -> None:
    links = (link for link in LINK.findall(document.read_text()) if "://" not in link)
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_python_block_compiles(document: Path) -> None:
    for block in PYTHON.findall(document.read_text()):
        compile(block, str(document), "exec")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_module_that_is_named_exists(document: Path) -> None:
    assert [name for name in MODULE.findall(document.read_text()) if not defined(name)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_file_that_is_named_exists(document: Path) -> None:
    bases = (ROOT, document.parent, *ROOT.glob("openral_*/"))
    named = FILE.findall(document.read_text())
    assert [name for name in named if not any((base / name).exists() for base in bases)] == []


def defined(name: str) -> bool:
    """Check for a module of this name, or for a module of its prefix that contains the rest."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        for top in ROOT.glob("*/"):
            path = top.joinpath(*parts[:length])
            file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
            if file.is_file():
                return all(rest in file.read_text() for rest in parts[length:])
    return False
