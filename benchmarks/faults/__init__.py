"""Every fault in every phase of a mission, on the launched graph."""

from benchmarks.faults.matrix import LONG, run

__all__ = ["LONG", "run"]
