"""Detector nodes of a graph, their initial residency, and the settings of the decision model."""

from collections.abc import Collection, Mapping, Sequence

from openral_bringup.graph.node_spec import NodeSpec
from openral_bringup.graph.options import DeploymentOptions
from openral_core.rskills import DetectorManifest, Mode, Registry, UnknownId
from openral_reasoner.llm.base import KEY_VARIABLES, MissingKey, api_key_for

LEVEL = 1


def chosen_detectors(
    options: DeploymentOptions, registry: Registry, problems: list[str]
) -> tuple[DetectorManifest, ...]:
    """Return the manifests of the chosen detectors; add to ``problems`` why one cannot be used."""
    found: list[DetectorManifest] = []
    for flag, mode, names in (
        ("--continuous", Mode.CONTINUOUS, options.chosen_continuous),
        ("--on-demand", Mode.ON_DEMAND, options.chosen_on_demand),
    ):
        for name in names:
            manifest = _checked(name, flag, mode, options, registry, problems)
            if manifest is not None:
                found.append(manifest)
    ids = [manifest.id for manifest in found]
    problems += [f"detector {id_!r} is chosen twice" for id_ in sorted({i for i in ids if ids.count(i) > 1})]
    return tuple(found)


def default_locator(chosen: tuple[DetectorManifest, ...]) -> str:
    """Return the id of the locator to ask first, whatever other detectors claim; "" if there is none."""
    return next((manifest.id for manifest in chosen if manifest.mode is Mode.ON_DEMAND), "")


def detector_nodes(
    options: DeploymentOptions,
    chosen: tuple[DetectorManifest, ...],
    initially_inactive: Collection[str],
    folders: list[str],
) -> tuple[NodeSpec, ...]:
    """Return one lifecycle node per detector, in a namespace of its own; the first locator is the default."""
    return tuple(
        NodeSpec(
            "detector",
            "openral_perception_ros",
            "detector",
            f"{options.namespace}/openral/perception/{manifest.name.slug}",
            LEVEL,
            {
                "rskill": manifest.id,
                "rskill_folders": folders,
                "cameras": [f"{camera}:={base}" for camera, base in options.camera_bases.items()],
                "default": manifest.id == default_locator(chosen),
                "seed": options.seed,
                "weights_folder": options.weights_dir,
                "device": options.device,
                "record": options.record,
                "use_sim_time": True,
            },
            awake=manifest.id not in initially_inactive,
        )
        for manifest in chosen
    )


def _checked(
    name: str, flag: str, mode: Mode, options: DeploymentOptions, registry: Registry, problems: list[str]
) -> DetectorManifest | None:
    try:
        manifest = registry.detector(name)
    except UnknownId as error:
        problems.append(f"{flag}: {error}")
        return None
    if manifest.mode is not mode:
        other = "--on-demand" if mode is Mode.CONTINUOUS else "--continuous"
        problems.append(f"{flag} {name}: this detector is {manifest.mode.value}; choose it with {other}")
    accept = manifest.licence.accept
    if accept and accept not in options.accepted_licences:
        problems.append(
            f"{name} is licensed under {manifest.licence.name}: to use it, add --accept-licence {accept}"
        )
    return manifest


def initially_inactive(
    options: DeploymentOptions, chosen: Sequence[DetectorManifest], problems: list[str]
) -> frozenset[str]:
    """Return the ids of detectors that start inactive because the memory budget does not hold them.

    Continuous detectors take precedence, then locators in order. Adds to ``problems`` if the budget is too
    small for any locator.
    """
    budget = options.gpu_budget_mb
    if budget <= 0.0:
        return frozenset()
    _check(chosen, budget, problems)
    left, inactive = budget, set()
    for manifest in sorted(chosen, key=lambda manifest: manifest.mode is Mode.ON_DEMAND):
        if manifest.memory_mb > left:
            inactive.add(manifest.id)
        else:
            left -= manifest.memory_mb
    return frozenset(inactive)


def _check(chosen: Sequence[DetectorManifest], budget: float, problems: list[str]) -> None:
    locators = [manifest for manifest in chosen if manifest.mode is Mode.ON_DEMAND]
    smallest = min(locators, key=lambda manifest: manifest.memory_mb, default=None)
    if smallest is not None and smallest.memory_mb > budget:
        problems.append(
            f"--gpu-budget-mb {budget:.0f} is too small for any locator: "
            f"the smallest, {smallest.id}, needs {smallest.memory_mb:.0f} MB"
        )


def validate_model(reasoner: NodeSpec, environment: Mapping[str, str], problems: list[str]) -> None:
    """Add a problem if a vendor's brain has no model name or no API key."""
    brain = str(reasoner.parameters["brain"])
    if brain not in KEY_VARIABLES:
        return
    if not reasoner.parameters["model"]:
        problems.append(f"--brain {brain}: add --model with the vendor's model name")
    try:
        api_key_for(brain, str(reasoner.parameters["base_url"]), environment)
    except MissingKey as error:
        problems.append(f"--brain {brain}: {error}")


def own_variables(brain: str) -> tuple[str, ...]:
    """Return patterns of the environment variables for the reasoner alone: the API key and its companions."""
    key = KEY_VARIABLES.get(brain)
    return (f"{key.partition('_')[0]}_*",) if key else ()
