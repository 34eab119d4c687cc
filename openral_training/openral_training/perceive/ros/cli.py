"""Command `openral perceive`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError, shortened

if TYPE_CHECKING:
    from rich.table import Table

    from openral_core.robot import RobotDescription
    from openral_core.spatial_memory import SceneGraph, SceneNode
    from openral_perception_ros.parameters import DetectorParameters
    from openral_training.perceive.bag import Bag
    from openral_training.perceive.comparison import ComparedObject
    from openral_training.perceive.ros.playback import PlaybackCounts, RecordedMemory
    from openral_training.perceive.ros.streams import StreamNames
    from openral_world_state.ros.parameters import WorldStateParameters


commands = typer.Typer(no_args_is_help=True, add_completion=False, help="Repeat perception over recordings.")
RECORDED = "recorded"
"""Value of --continuous, --on-demand and --expect that means what is in the recording."""
NONE = "none"
MAX_REASON = 600
"""Longest reason that is shown [bytes]."""
CM = 100.0
"""Centimetres per metre [1]."""


class NothingExpected(OpenRALError):
    """A recording without a memory to compare with."""

    def __init__(self, bag: Path) -> None:
        super().__init__(
            f"{bag} contains no scene graph to compare with: give a file that an earlier --save wrote with "
            "--expect FILE, or leave --expect out"
        )


class MemoryDiffers(OpenRALError):
    """A memory that is not the expected one."""

    exit_code = 1

    def __init__(self, compared: Sequence[ComparedObject]) -> None:
        from openral_training.perceive.comparison import MemoryDifference

        differing = [each for each in compared if each.outcome is not MemoryDifference.SAME]
        super().__init__(
            f"memory differs from the expected one in {len(differing)} of {len(compared)} objects"
        )


class NothingIntegrated(OpenRALError):
    """A recording from which memory learned nothing."""

    def __init__(self, bag: Path, counts: PlaybackCounts) -> None:
        reasons = [f"{name}: {counts.examples.get(name, '')}" for name, _ in counts.refused.most_common(2)]
        nothing = (
            f"its {counts.images} images have no recorded detections: name detectors with --continuous or "
            "--on-demand"
            if counts.images
            else "no image of its cameras was read"
        )
        super().__init__(
            f"{bag}: none of {counts.offered} frames of detections and {counts.hits} answers could be "
            f"integrated ({shortened('; '.join(reasons), MAX_REASON) or nothing})"
        )


@dataclass(frozen=True, slots=True)
class PerceptionPlan:
    """Recording, detectors and home of one playback; see the options of `perceive`."""

    bag: Bag
    robot: RobotDescription | None
    continuous: Sequence[str]
    on_demand: str
    searches: Sequence[str]
    cameras: tuple[str, ...]
    home_map: Path | None
    folders: list[Path]
    options: DetectorParameters

    @property
    def names(self) -> StreamNames:
        """Names of the recorded topics."""
        from openral_training.perceive.ros.streams import StreamNames

        return StreamNames.of(self.bag, self.robot)

    def parameters(self, map_epoch: int) -> WorldStateParameters:
        """Return the parameters that world_state would have for this robot."""
        from openral_training.perceive.ros.playback import PATIENCE
        from openral_world_state.ros.parameters import WorldStateParameters

        robot, values = self.robot, dict[str, object]()
        cameras = self.cameras or (tuple(robot.cameras) if robot else self.names.cameras(self.bag))
        if robot is not None:
            rectified = [each for each in cameras if each in robot.cameras and robot.cameras[each].rectified]
            frames = robot.frames
            values = {"map_frame": frames.map, "base_frame": frames.base, "rectified_cameras": rectified}
        return WorldStateParameters.model_validate(
            {"cameras": cameras, "map_epoch": map_epoch, "patience": PATIENCE, **values}
        )


@commands.command()
def perceive(
    bag: Annotated[Path, typer.Argument(help="run folder, MCAP file, or folder of rosbag2")],
    *,
    robot: Annotated[
        Path | None, typer.Option(help="robot.yaml that names the topics of a robot's bag")
    ] = None,
    continuous: Annotated[
        list[str] | None,
        typer.Option(help="detector for every image of the primary camera (repeatable); default recorded"),
    ] = None,
    on_demand: Annotated[
        str, typer.Option(help="locator for every query; recorded, none, or its id")
    ] = RECORDED,
    query: Annotated[
        list[str] | None, typer.Option(help="query for every image, beside the recorded ones (repeatable)")
    ] = None,
    camera: Annotated[
        list[str] | None, typer.Option(help="camera, the primary first (repeatable); default all")
    ] = None,
    home_map: Annotated[
        Path | None, typer.Option("--map", help="map file; default the recorded home")
    ] = None,
    expect: Annotated[
        str,
        typer.Option(help="memory that must result: recorded, or a JSON graph; exit code 1 if it differs"),
    ] = "",
    tolerance_cm: Annotated[float, typer.Option(min=0.0, help="distance that does not count [cm]")] = 5.0,
    save: Annotated[Path | None, typer.Option(help="write the resulting memory as a JSON graph")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    rskills: Annotated[list[Path] | None, typer.Option(help="folder of rSkills (repeatable)")] = None,
    weights_dir: Annotated[str, typer.Option(help="folder of weights; '' = the user's cache")] = "",
    device: Annotated[str, typer.Option(help="device of the models")] = "cpu",
) -> None:
    """Repeat perception and memory over a recording, and compare the result with what was remembered.

    Exit code: 0 done, or equal to --expect; 1 different from --expect; 2 not a recording, no such detector,
    nothing integrated.
    """
    from openral_core.robot import load_robot
    from openral_core.text import Thesaurus
    from openral_perception_ros.parameters import DetectorParameters
    from openral_ros.rskill_folders import rskill_folders
    from openral_training.perceive.bag import open_bag
    from openral_training.perceive.comparison import MemoryDifference, compare
    from openral_training.perceive.ros.playback import RecordedMemory
    from openral_world_state.scene_graph import write_graph

    plan = PerceptionPlan(
        bag=open_bag(bag),
        robot=load_robot(robot) if robot is not None else None,
        continuous=continuous or [RECORDED],
        on_demand=on_demand,
        searches=query or (),
        cameras=tuple(camera or ()),
        home_map=home_map,
        folders=rskill_folders([str(folder) for folder in rskills or ()]),
        options=DetectorParameters(rskill="-", device=device, weights_folder=weights_dir),
    )
    recorded = RecordedMemory.read(plan.bag, plan.names)
    expected = _expected(expect, recorded, bag)
    graph, counts = repeat(plan, recorded)
    compared = None if expected is None else compare(expected, graph, tolerance_cm / CM, Thesaurus.load())
    if save is not None and not counts.is_empty:
        write_graph(graph, save)
    (_print_json if as_json else _print)(counts, compared)
    if counts.is_empty:
        raise NothingIntegrated(bag, counts)
    if expect and compared and any(each.outcome is not MemoryDifference.SAME for each in compared):
        raise MemoryDiffers(compared)


def repeat(plan: PerceptionPlan, recorded: RecordedMemory) -> tuple[SceneGraph, PlaybackCounts]:
    """Play a recording back and return what is remembered at its end.

    Raises:
        OpenRALError: If the recording has no camera, or a detector cannot be used.
    """
    from openral_core.home_map import load_map
    from openral_core.rskills import Mode
    from openral_training.perceive.ros.playback import MemoryPlayback, open_memory
    from openral_training.perceive.ros.recorded_images import RecordedImageDetector

    parameters = plan.parameters(recorded.first.map_epoch if recorded.first is not None else 0)
    home = load_map(plan.home_map) if plan.home_map is not None else None
    world = open_memory(recorded.begun(), home, parameters)
    with ExitStack() as stack:

        def detector(rskill: str, mode: Mode) -> RecordedImageDetector:
            sensors = plan.names.sensors(plan.bag)
            made = RecordedImageDetector(
                rskill, mode, parameters.cameras, sensors, plan.folders, plan.options
            )
            stack.callback(made.close)
            return made

        named = [each for each in plan.continuous if each not in (RECORDED, NONE)]
        others = [detector(each, Mode.CONTINUOUS) for each in named]
        locator = None if plan.on_demand in (RECORDED, NONE) else detector(plan.on_demand, Mode.ON_DEMAND)
        queries = () if plan.on_demand == NONE else recorded.queries
        continuous = None if RECORDED in plan.continuous else others
        playback = MemoryPlayback(world, parameters, continuous, locator, queries, plan.searches)
        return playback.run(plan.bag, plan.names, recorded.ended), playback.counts


def _expected(expect: str, recorded: RecordedMemory, bag: Path) -> SceneGraph | None:
    from openral_world_state.scene_graph import read_graph

    if expect and expect != RECORDED:
        return read_graph(Path(expect))
    if expect and recorded.last is None:
        raise NothingExpected(bag)
    return recorded.last


def _print_json(counts: PlaybackCounts, compared: Sequence[ComparedObject] | None) -> None:
    content = {
        "duration": round(counts.duration, 3),
        "images": counts.images,
        "offered": counts.offered,
        "frames": counts.frames,
        "queries": counts.queries,
        "found": counts.hits,
        "remembered": counts.remembered,
        "refused": dict(counts.refused),
        "reasons": counts.examples,
        "objects": None if compared is None else [each.document() for each in compared],
    }
    typer.echo(json.dumps(content, indent=1))


def _print(counts: PlaybackCounts, compared: Sequence[ComparedObject] | None) -> None:
    from rich.console import Console
    from rich.markup import escape

    from openral_training.perceive.comparison import MemoryDifference

    console = Console()
    console.print(
        f"{counts.duration:.0f} s, {counts.images} images: integrated {counts.frames} of {counts.offered} "
        f"frames of detections, and what {counts.remembered} of {counts.queries} queries found",
        soft_wrap=True,
    )
    if counts.refused:
        refused = ", ".join(f"{count} x {reason}" for reason, count in sorted(counts.refused.items()))
        console.print(f"left out: {escape(refused)}", soft_wrap=True)
        for reason, example in sorted(counts.examples.items()):
            console.print(f"  {escape(reason)}: {escape(shortened(example, MAX_REASON))}", soft_wrap=True)
    if compared is None:
        console.print("the recording contains no memory to compare with")
        return
    same = sum(each.outcome is MemoryDifference.SAME for each in compared)
    console.print(f"{same} of {len(compared)} objects are the same")
    console.print(_table(compared))


def _table(compared: Sequence[ComparedObject]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    from openral_training.perceive.comparison import MemoryDifference

    table = Table("object", "difference", "before [cm]", "now [cm]", "apart [cm]")
    for each in compared:
        node = each.before or each.after
        label = node.label if node is not None else ""
        if each.outcome is MemoryDifference.RELABELLED and each.after is not None:
            label = f"{label}, now {each.after.label}"
        apart = "" if each.apart is None else f"{CM * each.apart:.1f}"
        cells = (
            label,
            each.outcome.value,
            _where(each.before, each.before_place),
            _where(each.after, each.after_place),
        )
        table.add_row(*map(escape, cells), apart)
    return table


def _where(node: SceneNode | None, place: str) -> str:
    if node is None:
        return ""
    position = " ".join(f"{CM * value:.0f}" for value in node.pose.position)
    presence = "" if node.presence.value == "present" else f", {node.presence.value}"
    return f"{position} {place}{presence}"
