"""Commands `openral record` and `foxglove`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_recorder.ros.node import RecorderNode


commands = typer.Typer(no_args_is_help=True, add_completion=False, help="Record robots, and show them.")
Patterns = list[str] | None


class NotRecorded(OpenRALError):
    """A recording that did not start, or ended early."""

    exit_code = 1


@commands.command()
def record(
    out: Annotated[Path | None, typer.Option(help="file to write; default runs/record-<time>.mcap")] = None,
    namespace: Annotated[str, typer.Option(help="namespace of the recorder's own node")] = "",
    include: Annotated[Patterns, typer.Option(help="regular expression of topics (repeatable)")] = None,
    exclude: Annotated[Patterns, typer.Option(help="regular expression left out (repeatable)")] = None,
    image_rate: Annotated[float, typer.Option(help="highest rate of a colour image [Hz]; 0 = none")] = 2.0,
    depth_rate: Annotated[float, typer.Option(help="highest rate of a depth image [Hz]; 0 = none")] = 2.0,
    max_size_mb: Annotated[float, typer.Option(help="largest file [MB]")] = 2000.0,
) -> None:
    """Record any robot in this ROS domain to an MCAP file until interrupted.

    Exit code: 0 complete file; 1 recording did not start or ended early.
    """
    from openral_recorder.ros.node import RecorderNode
    from openral_ros.run_node import run

    path = out or Path("runs") / time.strftime("record-%Y%m%d-%H%M%S.mcap")
    values: dict[str, object] = {
        "path": str(path.absolute()),
        "image_rate": image_rate,
        "depth_rate": depth_rate,
        "max_size_mb": max_size_mb,
    }
    values |= {name: item for name, item in (("include", include), ("exclude", exclude)) if item}
    arguments = [part for name, item in values.items() for part in ("-p", f"{name}:={json.dumps(item)}")]
    nodes: list[RecorderNode] = []

    def make() -> RecorderNode:
        nodes.append(RecorderNode())
        if nodes[0].recording is not None:
            typer.echo(f"recording to {nodes[0].recording.path}; press Ctrl-C to finish")
        return nodes[0]

    run(make, ["--ros-args", "-r", f"__ns:={namespace or '/'}", *arguments])
    recording = nodes[0].recording
    if recording is None or recording.error is not None:
        raise NotRecorded(f"not recorded: {recording.error if recording else 'see the error above'}")
    typer.echo(f"{recording.path}: {sum(recording.counts.values())} messages, {recording.size / 1e6:.1f} MB")


@commands.command()
def foxglove(
    port: Annotated[int, typer.Option(min=0, max=65535, help="port on 127.0.0.1; 0 = any free one")] = 8765,
) -> None:
    """Serve any robot in this ROS domain to Foxglove and Lichtblick on this machine, read-only.

    Exit code: 0 ended by Ctrl-C; 1 the port is taken.
    """
    from openral_recorder.ros.foxglove_node import FoxgloveNode
    from openral_ros.run_node import run

    nodes: list[FoxgloveNode] = []

    def make() -> FoxgloveNode:
        nodes.append(FoxgloveNode())
        if nodes[0].port:
            typer.echo(f"Foxglove: ws://127.0.0.1:{nodes[0].port}; press Ctrl-C to end")
        return nodes[0]

    run(make, ["--ros-args", "-p", f"port:={port}"])
    if not nodes[0].port:
        raise typer.Exit(1)
