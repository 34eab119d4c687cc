"""What detectors need on this machine before they can be started: an environment, weights, a word."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.node_spec import NodeSpec
from openral_core.rskills import DetectorManifest, Registry
from openral_perception_ros.engines.base import BRINGS_CODE
from openral_perception_ros.inference.worker_process import MissingEnvironment, worker_command
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.weights.fetch import MISSING, NOT_EXPORTED, REFUSED, weights_status

_WAYS = {MISSING: "fetch", REFUSED: "fetch", NOT_EXPORTED: "export"}


def missing_requirements(graph: GraphDescription, folders: Sequence[Path]) -> tuple[str, ...]:
    """What the detectors started here lack, each with the command that brings it."""
    registry = Registry.load(folders)
    detectors = [node for node in graph.started if node.executable == "detector"]
    return tuple(problem for node in detectors for problem in _lacks(node, registry))


def _lacks(node: NodeSpec, registry: Registry) -> Iterator[str]:
    named = {
        name: node.parameters[name] for name in DetectorParameters.model_fields if name in node.parameters
    }
    try:
        given = DetectorParameters.model_validate(named)
    except ValidationError:  # told by the check of its parameters
        return
    manifest = registry.detector(given.rskill)
    try:
        worker_command(manifest, Path(given.environments))
    except MissingEnvironment as error:
        yield str(error)
    own = registry.folder(manifest.id).parent
    where = f" --rskills {own}" if str(own) in given.rskill_folders[1:] else ""
    where += f" --weights-dir {given.weights_folder}" if given.weights_folder else ""
    yield from _lacks_weights(manifest, registry.folder(manifest.id), given.weights_folder, where)
    if manifest.engine in BRINGS_CODE and not given.remote_code:
        yield f"{manifest.id!r} brings its own code: to run it say --set {node.key}.remote_code=true"


def _lacks_weights(
    manifest: DetectorManifest, folder: Path, weights_folder: str, where: str
) -> Iterator[str]:
    presence = weights_status(manifest, folder, weights_folder)
    state = presence.state
    if state in _WAYS:
        accept = manifest.licence.accept if state in (MISSING, REFUSED) else ""
        word = f" --accept-licence {accept}" if accept else ""
        command = f"openral weights {_WAYS[state]} {manifest.id}{where}{word}"
        why = f" ({presence.problem})" if presence.problem else ""
        yield f"the weights of {manifest.id!r} are {state}{why}: run `{command}`"
