"""Goals in words: sentences that the scripted planner's grammar reads right, asks back or misreads.

Each file maps meanings to sentences of many speakers; more files are given as arguments. There is one row per
file and kind, and one per file. The baseline is the share that the rules for simple goals read right.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from openral_reasoner.scripted.grammar import parse_goal
from openral_testing.reasoner.goal_meanings import Paraphrase, Reading, canonical, describe, load_paraphrases

SPOKEN = Path(__file__).parents[2] / "openral_reasoner" / "test" / "scripted"


def run(files: tuple[Path, ...] = ()) -> list[dict[str, object]]:
    """Rows of every file."""
    return [row for file in (*_shipped(), *files) for row in _rows(file)]


def _shipped() -> list[Path]:
    return [*sorted(SPOKEN.glob("*spoken_goals.yaml")), *sorted(SPOKEN.glob("languages/*_*.yaml"))]


def _rows(file: Path) -> list[dict[str, object]]:
    spoken = load_paraphrases(file)
    kinds = sorted({paraphrase.kind for paraphrase in spoken})
    groups = {kind: [each for each in spoken if each.kind == kind] for kind in kinds} | {"all": list(spoken)}
    return [_row(file.stem, kind, group) for kind, group in groups.items()]


def _row(file: str, kind: str, group: list[Paraphrase]) -> dict[str, object]:
    counts = Counter(paraphrase.read()[0] for paraphrase in group)
    simple = sum(canonical(describe(parse_goal(each.text))) == canonical(each.meaning) for each in group)
    return {
        "file": file,
        "kind": kind,
        "sentences": len(group),
        "right": counts[Reading.RIGHT],
        "asked back": counts[Reading.ASKED],
        "wrong action": counts[Reading.WRONG],
        "right share": round(counts[Reading.RIGHT] / len(group), 3),
        "right share of simple goals' grammar": round(simple / len(group), 3),
    }


if __name__ == "__main__":
    print(json.dumps(run(tuple(map(Path, sys.argv[1:]))), indent=1))
