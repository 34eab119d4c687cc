"""`openral`: one command line, put together from what the installed packages offer."""

import sys
from importlib.metadata import entry_points

import typer

from openral_bringup.cli.doctor import doctor
from openral_core.errors import OpenRALError

GROUP = "openral.commands"
"""Entry points, each a typer app whose commands and sub-commands become `openral`'s."""


def command_line() -> typer.Typer:
    """The commands of every installed package."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, help="OpenRAL's command line.")
    app.command()(doctor)
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        _take_over(app, entry.load())
    return app


def _take_over(app: typer.Typer, part: typer.Typer) -> None:
    """Add commands and groups; a group that is there already, of another package, gets the new commands."""
    app.registered_commands += part.registered_commands
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    for group in part.registered_groups:
        known = groups.get(group.name)
        if known is None or group.typer_instance is None:
            app.registered_groups.append(group)
        else:
            known.registered_commands += group.typer_instance.registered_commands


def main() -> None:
    """Our own errors are one line on standard error and exit code 2, or their own."""
    try:
        command_line()()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(getattr(error, "exit_code", 2))
