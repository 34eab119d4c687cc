"""Build the documentation site from the repository's Markdown files and docstrings.

Copies the documents, with the files that they link to, into ``build/site_source`` in the layout of the
repository, so that relative links stay valid; adds one API page per module and one page of interfaces; runs
``mkdocs build --strict``, which fails on a broken link. Needs no network. Usage: tools/docs_site.py [out].
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "build" / "site_source"
OUT = ROOT / "build" / "site"
ENVIRONMENT = ROOT / ".environments" / "docs"
MERMAID = "mermaid.js"
DOCUMENTS = ("*.md", "docs/**/*.md", "[!.]*/README.md", "lab/*/README.md")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
FENCE = re.compile(r"^(?P<indent>\s*)```(?P<language>\w+)[^\n]*$", re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Stage the sources and run mkdocs; its exit status."""
    out = Path(arguments[0]).resolve() if arguments else OUT
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    script = ENVIRONMENT / MERMAID
    if script.exists():
        shutil.copy(script, SOURCE / MERMAID)
    else:
        (SOURCE / MERMAID).write_text("")
    for document in documents():
        stage(document, draw=script.exists())
    write_interfaces(SOURCE / "api" / "interfaces.md")
    for package in packages():
        write_package(package, SOURCE / "api")
    write_index(SOURCE / "api" / "README.md")
    command: list[str | Path] = [
        ENVIRONMENT / "bin" / "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        out,
    ]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    status = subprocess.run(command, cwd=ROOT, env=quiet, check=False).returncode
    if status == 0:
        sys.stdout.write(f"{out / 'index.html'}\n")
    return status


def documents() -> list[Path]:
    """Every Markdown document of the repository."""
    return sorted(file for pattern in DOCUMENTS for file in ROOT.glob(pattern))


def packages() -> list[Path]:
    """Source folders of the Python packages, also those of the laboratory."""
    found = (*ROOT.glob("*/openral_*/__init__.py"), *ROOT.glob("lab/*/openral_*/__init__.py"))
    return sorted((file.parent for file in found), key=lambda path: path.name)


def stage(document: Path, *, draw: bool) -> None:
    """Copy a document and the files that it links to; diagrams become code where they cannot be drawn."""
    text = document.read_text(encoding="utf-8")
    for link in LINK.findall(text):
        target = (document.parent / link).resolve()
        if "://" not in link and target.is_file() and target.suffix != ".md":
            staged = SOURCE / target.relative_to(ROOT)
            staged.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, staged)
    # What follows the language tells the tests how to run a block.
    text = FENCE.sub(r"\g<indent>```\g<language>", text)
    if not draw:
        text = text.replace("```mermaid", "```text")
    copy = SOURCE / document.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, encoding="utf-8")


def write_interfaces(page: Path) -> None:
    """Write every message, service and action with its comments."""
    page.parent.mkdir(parents=True, exist_ok=True)
    files = [
        (kind, file)
        for kind in ("srv", "action", "msg")
        for file in sorted((ROOT / "openral_msgs" / kind).glob(f"*.{kind}"))
    ]
    parts = [f"## openral_msgs/{k}/{file.stem}\n\n```text\n{file.read_text()}```\n" for k, file in files]
    page.write_text("\n".join(["# Interfaces\n", *parts]), encoding="utf-8")


def write_package(package: Path, folder: Path) -> None:
    """Write one page per subpackage or module at the top of a package."""
    for name, modules in sections(package):
        page = folder / package.name / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        blocks = (f"::: {module}\n    options:\n      heading_level: 2\n" for module in modules)
        page.write_text(f"# {package.name}: {name}\n\n" + "\n".join(blocks), encoding="utf-8")


def write_index(page: Path) -> None:
    """List every API page by package."""
    parts = ["# API reference\n"]
    for package in packages():
        names = [name for name, _ in sections(package)]
        parts.append(f"## {package.name}\n\n" + "\n".join(f"* [{n}]({package.name}/{n}.md)" for n in names))
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def sections(package: Path) -> Iterator[tuple[str, list[str]]]:
    """Names of pages with their modules."""
    for path in sorted(package.iterdir()):
        if path.suffix == ".py" and not path.stem.startswith(("_", "test_")):
            yield path.stem, [f"{package.name}.{path.stem}"]
        elif (path / "__init__.py").exists():
            files = sorted(file for file in path.rglob("*.py") if not file.stem.startswith("_"))
            relative = (file.relative_to(package.parent).with_suffix("") for file in files)
            yield path.name, [".".join(file.parts) for file in relative]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
