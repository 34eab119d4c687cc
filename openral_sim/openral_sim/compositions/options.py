"""Physics and drawing options every composed model shares."""

import mujoco

TIMESTEP = 0.002
EXTENT = 10.0
NEAR, FAR = 0.02, 40.0
"""Clipping distances of every camera [m]."""


def new_spec(name: str) -> mujoco.MjSpec:
    """An empty specification with contact and drawing options set."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    _set_physics(spec.option)
    spec.stat.extent = EXTENT
    spec.stat.center = (5.0, 2.25, 1.0)
    _set_drawing(spec.visual)
    _add_sky(spec)
    return spec


def _set_physics(option: mujoco.MjOption) -> None:
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    # MuJoCo 4.0.0 has a wrong Hessian in its sparse Newton solver.
    option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE


def _set_drawing(visual: mujoco.MjVisual) -> None:
    visual.map.znear, visual.map.zfar = NEAR / EXTENT, FAR / EXTENT
    visual.map.shadowclip = 1.2
    visual.map.shadowscale = 0.9
    visual.quality.offsamples = 0
    visual.quality.shadowsize = 1024
    visual.headlight.ambient = (0.46, 0.46, 0.47)
    visual.headlight.diffuse = (0.16, 0.16, 0.16)
    visual.headlight.specular = (0.05, 0.05, 0.05)


def _add_sky(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.93, 0.93, 0.91),
        rgb2=(0.72, 0.78, 0.84),
        width=64,
        height=384,
    )
