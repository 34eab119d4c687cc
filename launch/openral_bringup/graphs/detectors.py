"""The detector nodes of a graph, or why they cannot be."""

from collections.abc import Collection

from openral_bringup.graphs.choices import Choices
from openral_bringup.graphs.nodes import NodeSpec
from openral_core.detectors import Mode
from openral_core.names import UnknownId
from openral_core.rskills import DetectorManifest, Registry

LEVEL = 1


def chosen_detectors(
    choices: Choices, registry: Registry, problems: list[str]
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
    choices: Choices,
    chosen: tuple[DetectorManifest, ...],
    asleep: Collection[str],
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
            awake=manifest.id not in asleep,
        )
        for manifest in chosen
    )


def _checked(
    name: str, flag: str, mode: Mode, choices: Choices, registry: Registry, problems: list[str]
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
