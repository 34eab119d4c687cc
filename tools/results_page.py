"""Write the page of results, `docs/results.md`, from the rows in `docs/results`.

`page.json` has the introduction, the machines and the order of the areas; `<area>.json` the rows of one area.
Needs the built environment. Usage: tools/env python tools/results_page.py.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from openral_core.documents import Document
from openral_core.parsing import parse_json

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "results.md"
HEAD = "| claim | result | aim | command | measured |\n|---|---|---|---|---|"


class Result(Document):
    """One claim, its current figure, and where that comes from.

    Attributes:
        claim: Statement that the figure supports; no two rows have the same.
        figure: Measured value or values, in the order of the claim.
        unit: Unit of the figure.
        of: Number of cases, where the figure counts some of them.
        aim: Value that was to be reached; empty if there is none.
        command: Command that takes the figure again; empty if only the commit has it.
        in_repository: False for a program that only the commit has.
        commit: Code that was measured, or that recorded the figure.
        date: Date of that commit; not on the page.
        machine: Letter of a machine of the page.
        note: Further figures, or what limits this one.
    """

    claim: str
    figure: str
    unit: str = ""
    of: str = ""
    aim: str = ""
    command: str = ""
    in_repository: bool = True
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}$")]
    date: Annotated[str, StringConstraints(pattern=r"^20\d\d-\d\d-\d\d$")]
    machine: str
    note: str = ""

    def as_row(self) -> str:
        """Return the row of the table."""
        count = f"{self.figure} of {self.of}" if self.of else self.figure
        result = " ".join(filter(None, (count, self.unit)))
        origin = "" if self.in_repository else "*"
        command = f"`{self.command}`{origin}" if self.command else ""
        cells = (
            self.claim,
            f"{result} ({self.note})" if self.note else result,
            self.aim,
            command,
            f"`{self.commit}` {self.machine}",
        )
        return f"| {' | '.join(cells)} |"


class Area(Document):
    """Rows that belong together."""

    title: str
    before: str = ""
    rows: tuple[Result, ...] = Field(min_length=1)


class Page(Document):
    """Frame of the page: introduction, missing measurements, machines by letter, areas in their order."""

    before: str
    not_measured: tuple[str, ...]
    machines: Mapping[str, str]
    areas: tuple[str, ...]


def load_page() -> Page:
    """Read the frame of the page."""
    return Page.model_validate(parse_json((FOLDER / "page.json").read_text("utf-8")))


def load_areas() -> Mapping[str, Area]:
    """Read the rows of each area, in the order of the page."""
    files = ((name, FOLDER / f"{name}.json") for name in load_page().areas)
    return {name: Area.model_validate(parse_json(file.read_text("utf-8"))) for name, file in files}


def page() -> str:
    """Return the page: a table for each area."""
    frame = load_page()
    machines = "\n".join(f"| {letter} | {text} |" for letter, text in frame.machines.items())
    missing = "\n".join(f"* {text}" for text in frame.not_measured)
    parts = [
        f"# Results\n\n{frame.before}\n",
        f"| machine | |\n|---|---|\n{machines}\n",
        f"## Not measured\n\n{missing}\n",
    ]
    for area in load_areas().values():
        rows = "\n".join(row.as_row() for row in area.rows)
        before = f"{area.before}\n\n" if area.before else ""
        parts.append(f"## {area.title}\n\n{before}{HEAD}\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
