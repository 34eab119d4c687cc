"""Measurements, each a module with ``run() -> list[Row]``; `make bench` runs them and keeps the figures.

Graphs are launched, broken and watched with what `tests/graph` is made of.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
