"""`openral`: one command line, put together from what the installed packages offer."""

import sys
from importlib.metadata import entry_points

import typer

from openral_bringup.commands.doctor import doctor
from openral_core.errors import OpenRALError

GROUP = "openral.commands"
"""Entry points, each a typer app whose commands and sub-commands become `openral`'s."""


def command_line() -> typer.Typer:
    """The commands of every installed package."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, help="OpenRAL's command line.")
    app.command()(doctor)
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        part: typer.Typer = entry.load()
        app.registered_commands += part.registered_commands
        app.registered_groups += part.registered_groups
    return app


def main() -> None:
    """Our own errors are one line on standard error and exit code 2."""
    try:
        command_line()()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(2)
