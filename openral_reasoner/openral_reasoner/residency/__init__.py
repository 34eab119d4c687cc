"""Residency of detectors in memory: planning, state and restoration."""
