"""`python -m fuzzing.worker NODE|files COUNT SEED`: one round over every entrance, a JSON line each.

A process of its own, because a node that takes the interpreter with it must be counted, not end the run.
"""

import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings

if TYPE_CHECKING:
    from fuzzing.documents import FileEntrance

FILES = "files"


def main(
    name: str, count: int, number: int, skipped: frozenset[str] = frozenset()
) -> Iterator[dict[str, Any]]:
    """Yield what each entrance took: its name, its cases, and what broke."""
    with TemporaryDirectory() as folder:
        os.environ["ROS_LOG_DIR"] = str(Path(folder) / "ros")
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        os.environ.setdefault("LP_NUM_THREADS", "1")
        rounds = files_round if name == FILES else node_round
        yield from rounds(name, Path(folder), count, number, skipped)


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
        for place, entrance in enumerate(session.attack.entrances()):
            if str(entrance) in skipped:
                continue
            yield {"begins": str(entrance)}
            session.batch(entrance, count, 1000 * number + place, shrink=False)
            session.question(entrance)
            findings, session.findings = session.findings, []
            yield {"entrance": str(entrance), "cases": session.cases[str(entrance)], "findings": findings}


def files_round(
    name: str, folder: Path, count: int, number: int, skipped: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """Load damaged files of every kind."""
    from fuzzing.documents import FILES as KINDS
    from fuzzing.invariants import writes_outside

    for place, entrance in enumerate(KINDS.values()):
        if str(entrance) in skipped:
            continue
        yield {"begins": str(entrance)}
        with writes_outside(folder) as written:
            cases, findings = _load_damaged(entrance, folder / str(place), count, 1000 * number + place)
        yield {"entrance": str(entrance), "cases": cases, "findings": [*findings, *written]}


def _load_damaged(entrance: "FileEntrance", folder: Path, count: int, number: int) -> tuple[int, list[str]]:
    """Return how many damaged contents were loaded, and what broke."""
    from fuzzing.documents import damaged

    cases = 0

    @seed(number)
    @settings(
        max_examples=count, database=None, deadline=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(content=damaged(entrance.prepare(folder)))
    def load(content: bytes) -> None:
        nonlocal cases
        cases += 1
        entrance.deliver(content, folder)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            load()
        except Exception as error:
            return cases, [f"{entrance}: {type(error).__name__}: {error}"[:1000]]
    return cases, []


if __name__ == "__main__":
    left_out = frozenset(sys.argv[4:])
    for line in main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), left_out):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
