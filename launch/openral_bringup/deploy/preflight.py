"""Weights that a deployment lacks, fetched because its user said so."""

from collections.abc import Callable, Sequence
from pathlib import Path

from openral_bringup.graph.options import DeploymentOptions
from openral_core.rskills import Registry
from openral_perception_ros.engines.provenance import HUB
from openral_perception_ros.weights.fetch import MISSING, REFUSED, Download, fetch, weights_status


def fetch_missing(
    choices: DeploymentOptions, folders: Sequence[Path], download: Download, tell: Callable[[str], object]
) -> None:
    """Fetch what the chosen detectors need from the hub and this machine lacks or has damaged.

    Raises:
        DownloadFailed: If the hub cannot be reached.
        LicenceNotAccepted: If a licence asks for the user's word.
    """
    registry = Registry.load(folders)
    for name in (*choices.chosen_continuous, *choices.chosen_on_demand):
        manifest = registry.detector(name)
        from_hub = manifest.weights is not None and manifest.weights.uri.startswith(HUB)
        presence = weights_status(manifest, registry.folder(manifest.id), choices.weights_dir)
        if not from_hub or presence.state not in (MISSING, REFUSED):
            continue
        again = f" again ({presence.problem})" if presence.problem else ""
        tell(f"{manifest.id}: fetching{again}, licence {manifest.licence.name} {manifest.licence.url}")
        fetch(manifest, choices.weights_dir, choices.accepted_licences, download)
