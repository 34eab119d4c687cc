"""The `openral` command line, assembled from the commands of all installed packages."""

import sys
from importlib.metadata import entry_points

import typer

from openral_bringup.cli.doctor import doctor
from openral_bringup.cli.security import security
from openral_core.errors import OpenRALError

GROUP = "openral.commands"
"""Group of entry points; each is a typer app whose commands and groups are added to `openral`."""


def command_line() -> typer.Typer:
    """Return the commands of every installed package."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, help="OpenRAL's command line.")
    app.command()(doctor)
    app.add_typer(security, name="security")
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        add_commands(app, entry.load())
    return app


def add_commands(app: typer.Typer, part: typer.Typer) -> None:
    """Add commands and groups; commands of a group that another package has added are merged into it."""
    app.registered_commands += part.registered_commands
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    for group in part.registered_groups:
        known = groups.get(group.name)
        if known is None or group.typer_instance is None:
            app.registered_groups.append(group)
        else:
            known.registered_commands += group.typer_instance.registered_commands


def main() -> None:
    """Run the command line; an `OpenRALError` becomes one line on standard error and its exit code, or 2."""
    try:
        command_line()()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(getattr(error, "exit_code", 2))
