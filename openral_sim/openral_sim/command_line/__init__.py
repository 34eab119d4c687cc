"""`openral scene`: list, draw, check and picture scenes."""

from openral_sim.command_line.app import commands

__all__ = ["commands"]
