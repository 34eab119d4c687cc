"""Read a recorded mission: explain it, and replay it through the core.

Usage: tools/env python examples/read_recording.py [runs/latest/reasoner.jsonl]
"""

import gzip
import sys
from pathlib import Path

from openral_testing.recordings.lives import read_lives
from openral_testing.recordings.replay import replay, stories

SHIPPED = Path(__file__).resolve().parents[1] / "tests/goldens/missions/cup_of_wine.jsonl.gz"


def main(file: Path) -> int:
    """Print the explanation; 0 if the core still makes the recorded decisions."""
    text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
    lives = list(read_lives(text.splitlines()))
    for line in stories(lives):
        print(line)
    differences = [replay(life.settings, life.steps, ignore_text=True, idle=life.idle) for life in lives]
    events = sum(len(life.steps) for life in lives)
    print(f"{events} events replayed:", *(d or "the same commands" for d in differences))
    return 1 if any(differences) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED))
