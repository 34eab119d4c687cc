"""Defaults that settings and the command line share [s]."""

MISSION_SECONDS = 900.0
PRESUMED_OFF = 0.0
PATIENCE = 120.0
ANSWER = 600.0
