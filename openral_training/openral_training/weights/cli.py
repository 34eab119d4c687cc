"""Command line `openral weights export`."""

import typer

from openral_testing.weights.cli import (
    DEFAULT_ENVIRONMENTS,
    DEFAULT_RSKILLS,
    WEIGHTS_HELP,
    Environments,
    Id,
    Rskills,
    WeightsDir,
    find,
)

weights = typer.Typer(help=WEIGHTS_HELP, no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(weights, name="weights")


@weights.command()
def export(
    name: Id,
    rskills: Rskills = DEFAULT_RSKILLS,
    weights_dir: WeightsDir = "",
    environments: Environments = DEFAULT_ENVIRONMENTS,
) -> None:
    """Export a fetched checkpoint to ONNX and compare the boxes of both."""
    from openral_perception_ros.weights.environments import run_visibly
    from openral_training.weights.export import export as export_onnx

    manifest, folder = find(name, rskills)
    typer.echo(f"written to {export_onnx(manifest, folder, weights_dir, environments, run_visibly)}")
