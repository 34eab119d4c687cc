"""Proof of detectors on the user's machine, as one file that can be sent in."""
