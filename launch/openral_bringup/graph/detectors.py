"""Detectors of a graph: which are chosen, their nodes and residency, and what they lack on this machine."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from openral_bringup.graph.nodes import NodeSpec
from openral_bringup.graph.options import DEFAULT, STREAMS, CameraChoice, DeploymentOptions
from openral_bringup.graph.problems import Flag, Problem
from openral_core.rskills import DetectorManifest, Mode, Registry, Sensor, UnknownId
from openral_perception_ros.engines.provenance import brings_code
from openral_perception_ros.inference.worker_command import MissingEnvironment, worker_command
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.weights.fetch import (
    MISSING,
    NOT_EXPORTED,
    REFUSED,
    Download,
    fetch,
    weights_status,
)
from openral_reasoner_ros.brains import LOCAL_MEMORY_MB, Brain


def chosen_detectors(
    options: DeploymentOptions, registry: Registry, problems: list[Problem], *, semantic: bool
) -> tuple[DetectorManifest, ...]:
    """Return the manifests of the chosen detectors; add to ``problems`` why one cannot be used.

    ``semantic``: the cameras publish semantic images.
    """
    names = [(name, Mode.CONTINUOUS) for name in options.chosen_continuous]
    names += [(name, Mode.ON_DEMAND) for name in options.chosen_on_demand]
    manifests = [
        manifest
        for name, mode in names
        if (manifest := chosen_manifest(name, mode, options, registry, problems, semantic=semantic))
    ]
    ids = [manifest.id for manifest in manifests]
    twice = sorted({i for i in ids if ids.count(i) > 1})
    problems += [Problem(f"detector {id_!r} is chosen twice") for id_ in twice]
    return tuple(manifests)


def default_locator(manifests: tuple[DetectorManifest, ...]) -> str:
    """Return the id of the locator to ask first, whatever other detectors claim; "" if there is none."""
    return next((manifest.id for manifest in manifests if manifest.mode is Mode.ON_DEMAND), "")


def detector_nodes(
    options: DeploymentOptions,
    manifests: tuple[DetectorManifest, ...],
    initially_inactive: Collection[str],
    folders: list[str],
    remaps: Mapping[str, str],
) -> tuple[NodeSpec, ...]:
    """Return one lifecycle node per detector, in a namespace of its own; the first locator is the default.

    ``remaps`` lead to the topics of a real robot's cameras.
    """
    return tuple(
        NodeSpec(
            "detector",
            "openral_perception_ros",
            "detector",
            f"{options.namespace}/openral/perception/{manifest.name.slug}",
            1,
            {
                "rskill": manifest.id,
                "rskill_folders": folders,
                "cameras": [camera.parameter for camera in options.chosen_cameras],
                "default": manifest.id == default_locator(manifests),
                "seed": options.seed,
                "weights_folder": options.weights_dir,
                "device": options.device,
                "record": options.record,
                "use_sim_time": options.simulated,
            },
            remaps=remaps,
            awake=manifest.id not in initially_inactive,
        )
        for manifest in manifests
    )


def chosen_manifest(
    name: str,
    mode: Mode,
    options: DeploymentOptions,
    registry: Registry,
    problems: list[Problem],
    *,
    semantic: bool,
) -> DetectorManifest | None:
    """Return the manifest of one chosen detector; add to ``problems`` why it cannot be used."""
    try:
        manifest = registry.detector(name)
    except UnknownId as error:
        problems.append(Problem(Flag(mode.value), f": {error}"))
        return None
    flag = Flag(mode.value, name)
    if manifest.mode is not mode:
        text = f": this detector is {manifest.mode.value}; choose it with "
        problems.append(Problem(flag, text, Flag(manifest.mode.value)))
    if Sensor.SEMANTIC in manifest.sensors and not semantic:
        text = ": this detector reads semantic images, which only the simulation publishes; add "
        problems.append(Problem(flag, text, Flag("detectors", "default"), ", or choose another detector"))
    accept = manifest.licence.accept
    if accept and accept not in options.accepted_licences:
        text = f"{name} is licensed under {manifest.licence.name}: to use it, add "
        problems.append(Problem(text, Flag("accept_licence", accept)))
    return manifest


def initially_inactive(
    options: DeploymentOptions, manifests: Sequence[DetectorManifest], problems: list[Problem]
) -> frozenset[str]:
    """Return the ids of detectors that start inactive because the memory budget does not hold them.

    The worker of brain `local` takes precedence, then continuous detectors, then locators in order. Adds to
    ``problems`` if the budget is too small for that worker, or for any locator.
    """
    budget = options.gpu_budget_mb
    if budget <= 0.0:
        return frozenset()
    locators = [manifest for manifest in manifests if manifest.mode is Mode.ON_DEMAND]
    smallest = min(locators, key=lambda manifest: manifest.memory_mb, default=None)
    if smallest is not None and smallest.memory_mb > budget:
        least = f"the smallest, {smallest.id}, needs {smallest.memory_mb:.0f} MB"
        text = f" is too small for any locator: {least}"
        problems.append(Problem(Flag("gpu_budget_mb", f"{budget:.0f}"), text))
    brain = LOCAL_MEMORY_MB if options.brain is Brain.LOCAL else 0.0
    if brain > budget:
        text = f" is too small for brain {options.brain.value}, which needs {brain:.0f} MB"
        problems.append(Problem(Flag("gpu_budget_mb", f"{budget:.0f}"), text))
    remaining, inactive = budget - brain, set()
    for manifest in sorted(manifests, key=lambda manifest: manifest.mode is Mode.ON_DEMAND):
        if manifest.memory_mb > remaining:
            inactive.add(manifest.id)
        else:
            remaining -= manifest.memory_mb
    return frozenset(inactive)


def check_compressed(nodes: Iterable[NodeSpec], namespace: str, problems: list[Problem]) -> None:
    """Add a problem for each detector that wants compressed images, which the simulation does not publish."""
    ids = {CameraChoice(name, f"{namespace}/{name}").parameter: name for name in DEFAULT}
    for node in nodes:
        words = node.parameters.get("cameras")
        simulated = [ids[word] for word in words if word in ids] if isinstance(words, list) else []
        if node.parameters.get("compressed") and simulated:
            text = f": the simulation publishes no {simulated[0]}/{STREAMS[0]}/compressed; "
            remedy = "remove the setting, or use a camera that publishes it, as in "
            camera = Flag("camera", f"{simulated[0]}=/front/camera")
            problems.append(Problem(Flag("set", f"{node.key}.compressed=true"), text, remedy, camera))


_REMEDIES = {MISSING: "fetch", REFUSED: "fetch", NOT_EXPORTED: "export"}


def missing_requirements(nodes: Iterable[NodeSpec], folders: Sequence[Path]) -> tuple[Problem, ...]:
    """Return what the detectors among these nodes lack, each with the command that provides it."""
    registry = Registry.load(folders)
    detectors = [node for node in nodes if node.executable == "detector"]
    return tuple(problem for node in detectors for problem in lacks(node, registry))


def lacks(node: NodeSpec, registry: Registry) -> Iterator[Problem]:
    """Yield what one detector lacks on this machine."""
    settings = {
        name: node.parameters[name] for name in DetectorParameters.model_fields if name in node.parameters
    }
    try:
        parameters = DetectorParameters.model_validate(settings)
    except ValidationError:  # reported by the check of its parameters
        return
    manifest = registry.detector(parameters.rskill)
    try:
        worker_command(manifest, Path(parameters.environments))
    except MissingEnvironment as error:
        yield Problem(str(error))
    own = registry.folder(manifest.id).parent
    where = f" --rskills {own}" if str(own) in parameters.rskill_folders[1:] else ""
    where += f" --weights-dir {parameters.weights_folder}" if parameters.weights_folder else ""
    presence = weights_status(manifest, registry.folder(manifest.id), parameters.weights_folder)
    state = presence.state
    if state in _REMEDIES:
        accept = manifest.licence.accept if state in (MISSING, REFUSED) else ""
        flag = f" --accept-licence {accept}" if accept else ""
        command = f"openral weights {_REMEDIES[state]} {manifest.id}{where}{flag}"
        reason = f" ({presence.problem})" if presence.problem else ""
        yield Problem(f"the weights of {manifest.id!r} are {state}{reason}: run `{command}`")
    if brings_code(manifest) and not parameters.remote_code:
        text = f"{manifest.id!r} contains remote code: to run it, add "
        yield Problem(text, Flag("set", f"{node.key}.remote_code=true"))


def fetch_missing(
    options: DeploymentOptions, folders: Sequence[Path], download: Download, log: Callable[[str], object]
) -> None:
    """Fetch missing or damaged weights of the chosen detectors.

    Raises:
        DownloadFailed: If the server cannot be reached.
        LicenceNotAccepted: If a licence must be accepted first.
    """
    registry = Registry.load(folders)
    for name in (*options.chosen_continuous, *options.chosen_on_demand):
        manifest = registry.detector(name)
        remote = manifest.weights is not None and manifest.weights.remote
        presence = weights_status(manifest, registry.folder(manifest.id), options.weights_dir)
        if not remote or presence.state not in (MISSING, REFUSED):
            continue
        again = f" again ({presence.problem})" if presence.problem else ""
        log(f"{manifest.id}: fetching{again}, licence {manifest.licence.name} {manifest.licence.url}")
        fetch(manifest, options.weights_dir, options.accepted_licences, download)
