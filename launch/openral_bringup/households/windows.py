"""A window in which a mission can be watched."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

from openral_core.errors import OpenRALError
from openral_sim.loops import Metronome, Simulation

REFRESH = 20.0
"""Pictures a simulated second."""


class NoDisplay(OpenRALError):
    """Nobody could see a window here."""

    def __init__(self) -> None:
        super().__init__("--view needs a screen: DISPLAY and WAYLAND_DISPLAY are not set; leave --view out")


def require_display() -> None:
    """Make sure that a window can be opened.

    Raises:
        NoDisplay: If it cannot.
    """
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise NoDisplay


@contextmanager
def window(simulation: Simulation) -> Iterator[Callable[[], None]]:
    """A window on a simulation; call what it gives after every control period.

    Raises:
        NoDisplay: If there is no screen.
    """
    require_display()
    # The viewer's library complains when it is loaded where there is no screen.
    viewer = import_module("mujoco.viewer")
    metronome = Metronome(REFRESH)
    with viewer.launch_passive(simulation.world.model, simulation.world.data) as handle:

        def refresh() -> None:
            if metronome.due(simulation.time) and handle.is_running():
                handle.sync()

        yield refresh
