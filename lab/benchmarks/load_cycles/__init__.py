"""Activating and deactivating every engine again and again: what stays behind."""

from benchmarks.load_cycles.measuring import LONG, run

__all__ = ["LONG", "run"]
