"""`openral memory` with its live half."""

from openral_world_state.command_line import app, commands
from openral_world_state.ros.live_memory import live

app.add_typer(live, name="live")

__all__ = ["commands", "main"]


def main() -> None:
    """Run the command line."""
    app()
