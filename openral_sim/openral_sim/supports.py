"""What carries an object, told from its contacts."""

import mujoco
import numpy as np

_MIN_SHARE = 0.3


def support_of(model: mujoco.MjModel, data: mujoco.MjData, body: str) -> str | None:
    """The id of what pushes a body up most; None if nothing carries a fair share of its weight.

    Ids come from body names such as `furniture/<id>/...`, `object/<id>`, `robot/...` and `floor`.
    """
    target = model.body(body).id
    lift: dict[str, float] = {}
    for index in range(data.ncon):
        other, force = _push(model, data, index, target)
        if other is not None:
            lift[other] = lift.get(other, 0.0) + force
    weight = model.body(body).mass[0] * -model.opt.gravity[2]
    carrier = max(lift, key=lambda name: lift[name], default=None)
    return carrier if carrier is not None and lift[carrier] > _MIN_SHARE * weight else None


def _push(model: mujoco.MjModel, data: mujoco.MjData, index: int, target: int) -> tuple[str | None, float]:
    """Who touches the target in a contact, and with what upward force on it [N]."""
    contact = data.contact[index]
    first, second = (int(model.geom_bodyid[geom]) for geom in contact.geom)
    if target not in (first, second):
        return None, 0.0
    wrench = np.zeros(6)
    mujoco.mj_contactForce(model, data, index, wrench)
    # The contact frame's x axis points from the first geom to the second.
    upward = float(contact.frame.reshape(3, 3)[:, 2] @ wrench[:3])
    other, force = (first, upward) if target == second else (second, -upward)
    return _owner(model.body(other).name), force


def _owner(body: str) -> str:
    kind, _, rest = body.partition("/")
    return rest.partition("/")[0] if kind in ("furniture", "object", "person") else kind
