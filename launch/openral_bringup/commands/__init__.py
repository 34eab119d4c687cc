"""The `openral` command: every package adds its own through the entry points `openral.commands`."""

from openral_bringup.commands.app import main

__all__ = ["main"]
