"""The fleet node and its commands."""
