import mujoco
import numpy as np
import pytest

from openral_core.home_map import Appliance, Box3, Control, Fixture, Pose2
from openral_sim.assets.furniture.appliances import NoSuchControl
from openral_sim.assets.furniture.builder import FurnitureBuilder, FurnitureStyle
from openral_sim.assets.furniture.catalogue import build_fixture

AT = (0.05, 0.02, 1.05)


def lamp(kind: str, yaw: float = 0.0) -> FurnitureBuilder:
    control = Control(id="f_switch", kind=kind, name="switch", at=AT, yaw=yaw)
    lit = Box3(min=(-0.17, -0.17, 1.3), max=(0.17, 0.17, 1.6))
    fixture = Fixture(
        id="f", kind="lamp", name="f", room="r", pose=Pose2(x=0, y=0), depth=0.34, width=0.34, height=1.6,
        appliances=(Appliance(id="f", kind="lamp", name="f", lit=lit, control=control),),
    )  # fmt: skip
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="furniture/f")
    builder = FurnitureBuilder(spec, body, fixture, FurnitureStyle(main="lamp_shade", accent="steel"))
    build_fixture(builder)
    return builder


@pytest.mark.parametrize("kind", ["switch", "button"])
@pytest.mark.parametrize("yaw", [0.0, np.pi / 2])
def test_the_face_is_where_the_map_has_it(kind: str, yaw: float) -> None:
    builder = lamp(kind, yaw)
    model = builder.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    normal = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    hit = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(model, data, np.array(AT) + 0.5 * normal, -normal, None, 1, -1, hit)
    assert distance == pytest.approx(0.5, abs=0.005)
    assert model.geom(int(hit[0])).name == builder.appliances[0].face


def test_a_lamp_is_off_at_first_and_its_shade_has_a_material_of_its_own() -> None:
    builder = lamp("switch")
    model, appliance = builder.spec.compile(), builder.appliances[0]
    assert not model.light(appliance.light).active[0]
    users = [name for name in map(int, model.geom_matid) if model.mat(name).name == appliance.material]
    assert len(users) == 1


def test_a_knob_cannot_be_built_yet() -> None:
    with pytest.raises(
        NoSuchControl, match="'f_switch' is a knob; this simulation builds 'switch', 'button'"
    ):
        lamp("knob")
