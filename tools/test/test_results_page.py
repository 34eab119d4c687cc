"""The page of results is what its generator writes; each claim has one row, and each command exists."""

import json
import re
from collections import Counter
from pathlib import Path

from docs_site import documents
from results_page import FOLDER, PAGE, ROOT, Result, load_areas, load_page, page

AGAIN = "write it again: tools/env python tools/results_page.py"
ROWS = [row for area in load_areas().values() for row in area.rows]
BENCHMARKS = ROOT / "lab" / "benchmarks"
INVENTORIES = (ROOT / "tests/goldens/graph_interfaces.json", ROOT / "lab/tests/commands.json")


def commands() -> set[str]:
    """Return the recorded commands of `openral`."""
    recorded = [json.loads(file.read_text()) for file in INVENTORIES]
    return {name for each in recorded for name in each.get("commands", each)}


def exists(command: str) -> bool:
    """Check for a benchmark, a command of `openral` or a target of make."""
    if benchmark := re.match(r"tools/env python -m benchmarks (\w+)$", command):
        file = BENCHMARKS / f"{benchmark[1]}.py"
        return file.is_file() and "def run(" in file.read_text()
    if target := re.match(r"make (\w+)", command):
        return f"\n{target[1]}:" in (ROOT / "Makefile").read_text()
    words = command.removeprefix("tools/").split()
    return words[0] == "openral" and any(" ".join(words[:length]) in commands() for length in (2, 3))


def test_the_page_is_what_the_rows_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), AGAIN


def test_no_claim_has_two_rows() -> None:
    rows = Counter(row.claim.casefold() for row in ROWS)
    assert [claim for claim, count in rows.items() if count > 1] == []


def test_every_file_of_rows_is_on_the_page() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == {"page", *load_page().areas}


def test_every_machine_of_a_row_is_described() -> None:
    assert {row.machine for row in ROWS} == load_page().machines.keys()


def test_every_command_exists_or_is_said_to_be_at_its_commit() -> None:
    def is_stale(row: Result) -> bool:
        gone = not (BENCHMARKS / Path(row.command).name).is_file()
        return row.command != "" and not (exists(row.command) if row.in_repository else gone)

    assert [row.claim for row in ROWS if is_stale(row)] == []


def test_a_command_that_is_gone_is_found() -> None:
    assert not exists("tools/env python -m benchmarks furniture")
    assert not exists("tools/openral bench chess")
    assert not exists("make chess")


def test_the_logbook_is_no_part_of_the_site() -> None:
    assert not [file for file in documents() if "log" in file.relative_to(ROOT).parts]
