"""Lifecycle bring-up: ordered start, watching, and bringing respawned nodes back."""
