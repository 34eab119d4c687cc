"""Command `openral train planner`."""

from pathlib import Path
from typing import Annotated

import typer

from openral_testing.weights.cli import DEFAULT_ENVIRONMENTS, Environments

commands = typer.Typer()
train = typer.Typer()
commands.add_typer(train, name="train")


@train.command()
def planner(
    *,
    out: Annotated[Path, typer.Option(help="folder of the run; a run in it goes on")],
    base: Annotated[str, typer.Option(help="GGUF file or hub folder; default the installed SmolLM2")] = "",
    start: Annotated[Path | None, typer.Option(help="adapter to go on from")] = None,
    missions: Annotated[int, typer.Option(min=8, help="missions that are drawn")] = 1200,
    seed: Annotated[int, typer.Option(min=0, help="of the first mission")] = 1000,
    epochs: Annotated[int, typer.Option(min=1, help="times that each mission is seen")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="missions per step")] = 8,
    rate: Annotated[float, typer.Option(help="highest learning rate")] = 1e-3,
    rank: Annotated[int, typer.Option(min=1, help="rank of the adapter")] = 16,
    layers: Annotated[int, typer.Option(min=1, help="last layers that are adapted")] = 16,
    threads: Annotated[int, typer.Option(min=1, help="threads of the network")] = 1,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    environments: Environments = DEFAULT_ENVIRONMENTS,
) -> None:
    """Train an adapter of the local decision model on missions of the scripted planner in drawn homes.

    Writes planner.npz, for `--brain local --model OUT/planner.npz`, and the model card card.json. Exit code:
    0 done; 2 refused; 130 interrupted: the same command goes on.
    """
    chosen = {name: value for name, value in locals().items() if name != "environments"}
    from openral_reasoner.compact.choices import FORMAT
    from openral_training.environment import become, job_command
    from openral_training.local.client import local_files
    from openral_training.planner.drawing import draw_missions
    from openral_training.planner.options import MISSIONS, PlannerOptions

    options = PlannerOptions.model_validate(
        {**chosen, "base": local_files(base).base, "prompt_format": FORMAT}
    )
    draw_missions(out / MISSIONS, seed, missions, typer.echo)
    become(
        job_command(environments, "planner", options.model_dump_json(), "openral_training.planner.trainer")
    )
