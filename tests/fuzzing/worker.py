"""`python -m fuzzing.worker NAME COUNT SEED [SKIPPED ...]`: one round over every entrance, a JSON line each.

NAME is a node's rig or a suite. A process of its own, because a node that takes the interpreter with it must
be counted, not end the run. It works in a temporary folder beside a sentinel that nothing may touch.
"""

import gc
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzing.rounds import Door, Outcome

ASKED_EVERY = 10
"""Entrances of few cases after which the normal question is asked."""


def main(
    name: str, count: int, number: int, skipped: frozenset[str] = frozenset()
) -> Iterator[dict[str, Any]]:
    """Yield what each entrance took: its name, its cases, the memory it kept, and what broke."""
    with TemporaryDirectory() as root:
        inside, outside = Path(root) / "inside", Path(root) / "outside"
        inside.mkdir()
        outside.mkdir()
        (outside / "sentinel").write_text("as it was")
        os.environ["ROS_LOG_DIR"] = str(inside / "ros")
        os.environ["HOME"] = os.environ["TMPDIR"] = str(inside)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        os.environ.setdefault("LP_NUM_THREADS", "1")
        os.chdir(inside)
        from fuzzing.suites import SUITES

        rounds = suite_round if name in SUITES else node_round
        yield from rounds(name, inside, count, number, skipped)
        if changed := _changes(Path(root), outside):
            yield _remark(f"{name} (file system)", [changed])


def node_round(
    name: str, folder: Path, count: int, number: int, skipped: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """Put cases through every entrance of one node."""
    import domain_coordinator
    from dds_ports import domains

    from fuzzing.rigs import rig_of
    from fuzzing.session import session_of

    with (
        domain_coordinator.domain_id(domains().__next__) as domain,
        rig_of(name, folder, domain) as rig,
        session_of(rig) as session,
    ):
        gc.freeze()  # what exists now stays: collections are quick
        unasked: list[str] = []
        for place, door in enumerate(session.doors):
            if str(door) in skipped:
                continue
            yield {"begins": str(door)}
            put = session.measured_batch if door.weight == 1.0 else session.batch
            outcome = put(door, _share(door, count), 1000 * number + place)
            unasked.append(str(door))
            if door.weight == 1.0 or len(unasked) >= ASKED_EVERY or outcome.findings:
                session.question(", ".join(unasked))
                unasked.clear()
            findings, session.findings = session.findings, []
            yield _line(door, outcome, findings)
        session.question("all of it")
        yield {
            "entrance": f"{name} (normal question)",
            "cases": 0,
            "grown": 0.0,
            "findings": session.findings,
        }


def suite_round(
    name: str, folder: Path, count: int, number: int, skipped: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """Put cases through every door of a suite."""
    from fuzzing.invariants import writes_outside
    from fuzzing.rounds import explore_with_memory
    from fuzzing.suites import SUITES

    with SUITES[name](folder) as doors, writes_outside(folder) as written:
        gc.freeze()
        for place, door in enumerate(doors):
            if str(door) in skipped:
                continue
            yield {"begins": str(door)}
            outcome = explore_with_memory(door, _share(door, count), 1000 * number + place)
            findings = [*outcome.findings, *(f"{door} wrote: {each}" for each in written)]
            written.clear()
            yield _line(door, outcome, findings)


def _share(door: "Door", count: int) -> int:
    return max(2, round(count * door.weight))


def _line(door: "Door", outcome: "Outcome", findings: list[str]) -> dict[str, Any]:
    return {"entrance": str(door), "cases": outcome.cases, "grown": outcome.grown, "findings": findings}


def _remark(about: str, findings: list[str]) -> dict[str, Any]:
    return {"entrance": about, "cases": 0, "grown": 0.0, "findings": findings}


def _changes(root: Path, outside: Path) -> str:
    """Return what is beside the folder of the round and was not, "" if nothing."""
    found = sorted(str(path.relative_to(root)) for path in (*root.glob("*"), *outside.rglob("*")))
    as_it_was = (outside / "sentinel").exists() and (outside / "sentinel").read_text() == "as it was"
    return "" if found == ["inside", "outside", "outside/sentinel"] and as_it_was else f"wrote: {found}"


if __name__ == "__main__":
    left_out = frozenset(sys.argv[4:])
    for line in main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), left_out):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
