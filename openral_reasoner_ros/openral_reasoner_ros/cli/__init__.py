"""The `openral` command."""

from openral_reasoner_ros.cli.app import main

__all__ = ["main"]
