"""The detector nodes of a graph, or why they cannot be."""
# MERGED Which detectors are awake from the start, when memory is short.
# MERGED What stands against the chosen brain, before anything starts.

from collections.abc import Collection, Mapping, Sequence

from openral_bringup.graph.node_spec import NodeSpec
from openral_bringup.graph.options import DeploymentOptions
from openral_core.detectors import Mode
from openral_core.names import UnknownId
from openral_core.rskills import DetectorManifest, Registry
from openral_reasoner.llm.base import KEY_VARIABLES, MissingKey, api_key_for

LEVEL = 1


def chosen_detectors(
    choices: DeploymentOptions, registry: Registry, problems: list[str]
) -> tuple[DetectorManifest, ...]:
    """Manifests of every chosen detector; adds to ``problems`` what stands against one."""
    found: list[DetectorManifest] = []
    for flag, mode, names in (
        ("--continuous", Mode.CONTINUOUS, choices.chosen_continuous),
        ("--on-demand", Mode.ON_DEMAND, choices.chosen_on_demand),
    ):
        for name in names:
            manifest = _checked(name, flag, mode, choices, registry, problems)
            if manifest is not None:
                found.append(manifest)
    ids = [manifest.id for manifest in found]
    problems += [
        f"detector {each!r} is chosen twice" for each in sorted({i for i in ids if ids.count(i) > 1})
    ]
    return tuple(found)


def default_locator(chosen: tuple[DetectorManifest, ...]) -> str:
    """Id of the locator that is asked first, whatever others say of themselves; "" without one."""
    return next((manifest.id for manifest in chosen if manifest.mode is Mode.ON_DEMAND), "")


def detector_nodes(
    choices: DeploymentOptions,
    chosen: tuple[DetectorManifest, ...],
    initially_inactive: Collection[str],
    folders: list[str],
) -> tuple[NodeSpec, ...]:
    """One lifecycle node per detector, in a namespace of its own; the first locator is the default."""
    return tuple(
        NodeSpec(
            "detector",
            "openral_perception_ros",
            "detector",
            f"{choices.namespace}/openral/perception/{manifest.name.slug}",
            LEVEL,
            {
                "rskill": manifest.id,
                "rskill_folders": folders,
                "cameras": [f"{camera}:={base}" for camera, base in choices.camera_bases.items()],
                "default": manifest.id == default_locator(chosen),
                "seed": choices.seed,
                "weights_folder": choices.weights_dir,
                "device": choices.device,
                "record": choices.record,
                "use_sim_time": True,
            },
            awake=manifest.id not in initially_inactive,
        )
        for manifest in chosen
    )


def _checked(
    name: str, flag: str, mode: Mode, choices: DeploymentOptions, registry: Registry, problems: list[str]
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
    if accept and accept not in choices.accepted_licences:
        problems.append(f"{name} is under {manifest.licence.name}: to use it say --accept-licence {accept}")
    return manifest


def initially_inactive(
    choices: DeploymentOptions, chosen: Sequence[DetectorManifest], problems: list[str]
) -> frozenset[str]:
    """Ids that stay inactive until they are needed: those that stream come first, then locators in order.

    Adds to ``problems`` when no locator could ever be woken.
    """
    budget = choices.gpu_budget_mb
    if budget <= 0.0:
        return frozenset()
    _check(chosen, budget, problems)
    left, sleeping = budget, set()
    for each in sorted(chosen, key=lambda manifest: manifest.mode is Mode.ON_DEMAND):
        if each.memory_mb > left:
            sleeping.add(each.id)
        else:
            left -= each.memory_mb
    return frozenset(sleeping)


def _check(chosen: Sequence[DetectorManifest], budget: float, problems: list[str]) -> None:
    locators = [each for each in chosen if each.mode is Mode.ON_DEMAND]
    smallest = min(locators, key=lambda each: each.memory_mb, default=None)
    if smallest is not None and smallest.memory_mb > budget:
        problems.append(
            f"--gpu-budget-mb {budget:.0f} is too small for any locator: "
            f"the smallest, {smallest.id}, needs {smallest.memory_mb:.0f} MB"
        )


def validate_model(reasoner: NodeSpec, environment: Mapping[str, str], problems: list[str]) -> None:
    """Add to ``problems`` that a vendor's brain has no model, or no key to be asked with."""
    brain = str(reasoner.parameters["brain"])
    if brain not in KEY_VARIABLES:
        return
    if not reasoner.parameters["model"]:
        problems.append(f"--brain {brain}: --model is missing, the name of one of its models")
    try:
        api_key_for(brain, str(reasoner.parameters["base_url"]), environment)
    except MissingKey as error:
        problems.append(f"--brain {brain}: {error}")


def own_variables(brain: str) -> tuple[str, ...]:
    """Patterns of what the reasoner alone gets: the key of the chosen brain and what goes with it."""
    key = KEY_VARIABLES.get(brain)
    return (f"{key.partition('_')[0]}_*",) if key else ()
