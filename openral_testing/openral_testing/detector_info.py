"""`DetectorInfo` of detectors that exist only in a test."""

from dataclasses import replace

from openral_core.detectors import DetectorInfo, LifecycleState
from openral_core.rskills import Mode, Name, Vocabulary

_LOCATOR = DetectorInfo(
    name=Name("locator"),
    mode=Mode.ON_DEMAND,
    engine="sim_groundtruth",
    vocabulary=Vocabulary.OPEN,
    description="grounds names",
    labels=(),
    cameras=("head",),
    licence="Apache-2.0",
    commercial_use=True,
    memory_declared=1.0,
    latency=0.1,
    state=LifecycleState.ACTIVE,
)


def make_locator_info(name: str, *aliases: str, **changes: object) -> DetectorInfo:
    """Return the info of an active on-demand locator, with ``changes`` to its fields."""
    return replace(_LOCATOR, name=Name(name, aliases), **changes)  # type: ignore[arg-type]
