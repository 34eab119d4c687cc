"""Commands that the reasoner adds to `openral`."""

from openral_reasoner_ros.cli.main import main

__all__ = ["main"]
