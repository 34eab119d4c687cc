"""Requirements of detectors on this machine: Python environment, weights, permission for remote code."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.node_spec import NodeSpec
from openral_bringup.graph.options import DeploymentOptions
from openral_core.rskills import DetectorManifest, Registry
from openral_perception_ros.engines.base import BRINGS_CODE
from openral_perception_ros.engines.provenance import HUB
from openral_perception_ros.inference.worker_process import MissingEnvironment, worker_command
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.weights.fetch import (
    MISSING,
    NOT_EXPORTED,
    REFUSED,
    Download,
    fetch,
    weights_status,
)

_REMEDIES = {MISSING: "fetch", REFUSED: "fetch", NOT_EXPORTED: "export"}


def missing_requirements(graph: GraphDescription, folders: Sequence[Path]) -> tuple[str, ...]:
    """Return what the detectors of this host lack, each with the command that provides it."""
    registry = Registry.load(folders)
    detectors = [node for node in graph.started if node.executable == "detector"]
    return tuple(problem for node in detectors for problem in _lacks(node, registry))


def _lacks(node: NodeSpec, registry: Registry) -> Iterator[str]:
    named = {
        name: node.parameters[name] for name in DetectorParameters.model_fields if name in node.parameters
    }
    try:
        given = DetectorParameters.model_validate(named)
    except ValidationError:  # reported by the check of its parameters
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
        yield f"{manifest.id!r} contains remote code: to run it, add --set {node.key}.remote_code=true"


def _lacks_weights(
    manifest: DetectorManifest, folder: Path, weights_folder: str, where: str
) -> Iterator[str]:
    presence = weights_status(manifest, folder, weights_folder)
    state = presence.state
    if state in _REMEDIES:
        accept = manifest.licence.accept if state in (MISSING, REFUSED) else ""
        flag = f" --accept-licence {accept}" if accept else ""
        command = f"openral weights {_REMEDIES[state]} {manifest.id}{where}{flag}"
        reason = f" ({presence.problem})" if presence.problem else ""
        yield f"the weights of {manifest.id!r} are {state}{reason}: run `{command}`"


def fetch_missing(
    options: DeploymentOptions, folders: Sequence[Path], download: Download, log: Callable[[str], object]
) -> None:
    """Fetch missing or damaged weights of the chosen detectors from the hub.

    Raises:
        DownloadFailed: If the hub cannot be reached.
        LicenceNotAccepted: If a licence must be accepted first.
    """
    registry = Registry.load(folders)
    for name in (*options.chosen_continuous, *options.chosen_on_demand):
        manifest = registry.detector(name)
        from_hub = manifest.weights is not None and manifest.weights.uri.startswith(HUB)
        presence = weights_status(manifest, registry.folder(manifest.id), options.weights_dir)
        if not from_hub or presence.state not in (MISSING, REFUSED):
            continue
        again = f" again ({presence.problem})" if presence.problem else ""
        log(f"{manifest.id}: fetching{again}, licence {manifest.licence.name} {manifest.licence.url}")
        fetch(manifest, options.weights_dir, options.accepted_licences, download)
