"""`openral`: speak to a running reasoner, read its recordings, measure its search."""

import sys

import typer

from openral_core.errors import OpenRALError
from openral_reasoner_ros.cli.benches import bench
from openral_reasoner_ros.cli.missions import mission, palette, prompt
from openral_reasoner_ros.cli.recordings import explain, replay

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
app.command()(prompt)
app.command()(palette)
app.command()(replay)
app.command()(explain)
app.add_typer(mission, name="mission")
app.add_typer(bench, name="bench")


def main() -> None:
    """The command line; our own errors are one line on standard error and exit code 2, or their own."""
    try:
        app()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(getattr(error, "exit_code", 2))
