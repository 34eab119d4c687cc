"""Verification of success: the evidence of a mission, and goals as predicates over it."""
