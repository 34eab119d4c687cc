"""The `openral` command."""

from openral_reasoner_ros.cli.main import main

__all__ = ["main"]
