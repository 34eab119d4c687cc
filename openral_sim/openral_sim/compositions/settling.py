"""Objects brought to rest before a world begins."""

from collections.abc import Iterable

import mujoco

_SETTLE_TIME = 1.5


def settle(spec: mujoco.MjSpec, bodies: Iterable[str]) -> None:
    """Let free bodies come to rest, and write where they rest into the specification; nothing without any."""
    names = list(bodies)
    if not names:
        return
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(_SETTLE_TIME / model.opt.timestep))
    for name in names:
        rest = data.body(name)
        spec.body(name).pos, spec.body(name).quat = rest.xpos.copy(), rest.xquat.copy()
