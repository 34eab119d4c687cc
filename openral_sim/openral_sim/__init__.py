"""MuJoCo simulation: scenes, cameras, robot and skill server.

Importing this package chooses the headless OpenGL platform, because MuJoCo reads `MUJOCO_GL` once,
on its own first import: import `openral_sim` before `mujoco`.
"""

from openral_sim.rendering.gl import choose_gl_platform

choose_gl_platform()
