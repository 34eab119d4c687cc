"""Defaults that settings and the command line share [s]."""

MISSION_SECONDS = 900.0  # [s]
PRESUMED_OFF = 0.0  # [s]; 0: not before its lease ends.
PATIENCE = 120.0  # [s]
ANSWER = 600.0  # [s]
