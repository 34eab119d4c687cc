"""Activating and deactivating every engine again and again: what stays behind."""

from benchmarks.cycles.measuring import LONG, run

__all__ = ["LONG", "run"]
