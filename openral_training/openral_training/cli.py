"""Commands `openral train detector | evaluate | export`; they run in the environment that has PyTorch."""

from pathlib import Path
from typing import Annotated

import typer

from openral_testing.weights.cli import DEFAULT_ENVIRONMENTS, Environments

commands = typer.Typer(no_args_is_help=True, add_completion=False)
train = typer.Typer(no_args_is_help=True, help="Train a detector on a data set in COCO format.")
commands.add_typer(train, name="train")

Data = Annotated[Path, typer.Argument(help="folder with train/ and val/ in COCO format")]
Run = Annotated[Path, typer.Argument(help="folder of a run, or one of its checkpoints")]


@train.command()
def detector(
    data: Data,
    *,
    out: Annotated[Path, typer.Option(help="folder of the run")],
    hours: Annotated[float | None, typer.Option(help="end after this time of training [h]")] = None,
    views: Annotated[int | None, typer.Option(help="end after this many images")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="go on with the run in --out")] = False,
    init: Annotated[Path | None, typer.Option(help="begin from the weights of a run or checkpoint")] = None,
    new_classes: Annotated[
        bool, typer.Option("--new-classes", help="let the classes differ from those of --init")
    ] = False,
    new_data: Annotated[
        bool, typer.Option("--new-data", help="let the images differ from those before --resume")
    ] = False,
    architecture: Annotated[str | None, typer.Option(help="tiny (default) or small")] = None,
    image_size: Annotated[str | None, typer.Option(help="size of whole images [px]; default 640x480")] = None,
    window: Annotated[str | None, typer.Option(help="size of crops [px]; default 320x256")] = None,
    batch: Annotated[int | None, typer.Option(help="crops per batch; default 8")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="highest learning rate; default 0.002")] = None,
    seed: Annotated[int | None, typer.Option(help="seed of weights, order and augmentation")] = None,
    threads: Annotated[int | None, typer.Option(help="threads of the network; default 2")] = None,
    loaders: Annotated[
        int | None, typer.Option(help="processes that prepare images for a GPU; default one per core but one")
    ] = None,
    device: Annotated[str | None, typer.Option(help="auto (default), cpu or cuda")] = None,
    bf16: Annotated[
        bool | None,
        typer.Option(
            "--bf16/--fp32", help="compute in bfloat16 where it is enough; default: if the device does"
        ),
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="folder of decoded images; default OUT/cache")] = None,
    patience: Annotated[int | None, typer.Option(help="evaluations without gain before the end")] = None,
    evaluations: Annotated[int | None, typer.Option(help="evaluations of the run; default 20")] = None,
    save_every: Annotated[float | None, typer.Option(help="time between checkpoints [s]; default 60")] = None,
    environments: Environments = DEFAULT_ENVIRONMENTS,
) -> None:
    """Train a detector; interrupt it at any time and go on with --resume.

    Exit code: 0 done; 2 refused by the data, a checkpoint or a full disk; 130 interrupted, resumable.
    """
    from openral_training.detector.options import stored_options, training_options
    from openral_training.environment import become, job_command

    raw = {
        "data": data,
        "out": out,
        "hours": hours,
        "views": views,
        "resume": resume or None,
        "init": init,
        "new_classes": new_classes or None,
        "new_data": new_data or None,
        "architecture": architecture,
        "image_size": _size(image_size),
        "window": _size(window),
        "batch": batch,
        "learning_rate": learning_rate,
        "seed": seed,
        "threads": threads,
        "loaders": loaders,
        "device": device,
        "bf16": bf16,
        "cache": cache,
        "patience": patience,
        "evaluations": evaluations,
        "save_every": save_every,
    }
    chosen = {name: value for name, value in raw.items() if value is not None}
    options = training_options({**(stored_options(out) if resume else {}), **chosen}, chosen)
    become(job_command(environments, "detector", options.model_dump_json()))


@train.command()
def evaluate(
    run: Run,
    data: Data,
    *,
    split: Annotated[str, typer.Option(help="split of the data")] = "test",
    threshold: Annotated[
        float | None, typer.Option(help="operating point; default the one chosen on the validation split")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="write the result as JSON")] = None,
    cache: Annotated[Path | None, typer.Option(help="folder of decoded images; default RUN/cache")] = None,
    environments: Environments = DEFAULT_ENVIRONMENTS,
) -> None:
    """Evaluate a run: COCO's metrics, tables per class and per apparent size, calibration error."""
    from openral_core.documents import parse_document
    from openral_training.detector.options import EvaluationOptions
    from openral_training.environment import become, job_command

    raw = {"run": run, "data": data, "split": split, "threshold": threshold, "save": save, "cache": cache}
    options = parse_document(EvaluationOptions, raw, "openral train evaluate")
    become(job_command(environments, "evaluate", options.model_dump_json()))


@train.command()
def export(
    run: Run,
    data: Data,
    *,
    out: Annotated[Path, typer.Option(help="folder of the rSkill; its name is the id")],
    size: Annotated[
        str | None, typer.Option(help="input size [px]; default that of the run's images")
    ] = None,
    licence: Annotated[str, typer.Option(help="SPDX id of the weights' licence")] = "Apache-2.0",
    quantise: Annotated[
        bool,
        typer.Option("--quantise", help="also quantise to int8, and keep that if AP50 falls by 0.01 at most"),
    ] = False,
    cache: Annotated[Path | None, typer.Option(help="folder of decoded images; default RUN/cache")] = None,
    environments: Environments = DEFAULT_ENVIRONMENTS,
) -> None:
    """Write an rSkill: ONNX weights with calibrated scores, label map, manifest and model card.

    DATA calibrates the scores (its val split) and judges them (its test split, where there is one).
    """
    from openral_core.documents import parse_document
    from openral_training.detector.options import ExportOptions
    from openral_training.environment import become, job_command

    raw = {"run": run, "data": data, "out": out, "licence": licence, "quantise": quantise, "cache": cache}
    options = parse_document(ExportOptions, {**raw, "size": _size(size)}, "openral train export")
    become(job_command(environments, "export", options.model_dump_json()))


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise typer.BadParameter(f"{text!r}: expected WIDTHxHEIGHT, as in 640x480")
    return int(width), int(height)
