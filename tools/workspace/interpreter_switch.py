"""One set-up per Python version in the same checkout: that of the running version in place, others aside.

It is `.venv`, `build` and `install`; that of Python 3.11 waits in `.pythons/3.11`. All three hold absolute
paths and are named in scripts and documents, so they are renamed rather than made under other names.
"""

import re
import shutil
import sys
from pathlib import Path

from workspace.paths import Layout
from workspace.shell import step

MADE_BY = re.compile(r"^version = (\d+\.\d+)", re.MULTILINE)


def switch_interpreter(layout: Layout) -> None:
    """Put the set-up of another Python version aside, and that of the running one, if any, in place.

    An interrupted switch is completed or undone by the next one: `.venv`, which tells whose set-up is in
    place, is the last to leave and the first to come.
    """
    running = "{}.{}".format(*sys.version_info[:2])
    folders = (layout.venv, layout.build, layout.install)
    found = _version_of(layout.venv)
    if found not in {None, running}:
        with step(f"Keeping the set-up of Python {found} in {layout.aside(found).relative_to(layout.root)}"):
            layout.aside(found).mkdir(parents=True, exist_ok=True)
            for folder in reversed(folders):
                _move(folder, layout.aside(found) / folder.name)
    for folder in folders:
        kept = layout.aside(running) / folder.name
        if not _exists(folder):
            _move(kept, folder)


def _version_of(venv: Path) -> str | None:
    """Return the Python version that made a virtual environment, None if there is none."""
    record = venv / "pyvenv.cfg"
    made = MADE_BY.search(record.read_text()) if record.exists() else None
    return made[1] if made else None


def _move(folder: Path, target: Path) -> None:
    """Rename a folder or a link to one, if it exists; what was at the target is older."""
    if _exists(folder):
        if target.is_symlink():
            target.unlink()
        elif target.exists():
            shutil.rmtree(target)
        folder.rename(target)


def _exists(path: Path) -> bool:
    return path.is_symlink() or path.exists()
