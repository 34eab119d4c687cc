"""One problem, two spellings: ``--on-demand x`` of `deploy_sim.py` is ``on_demand:=x`` of `ros2 launch`."""

import re
from collections.abc import Iterable

OTHER_NAMES = {"camera": "cameras"}
_COMMANDS = re.compile(r"(`[^`]*`)")


def in_launch_spelling(problems: Iterable[str], arguments: Iterable[str]) -> list[str]:
    """Problems as `deploy_sim.py` tells them, with flags as launch arguments; quoted commands stay.

    Args:
        problems: One line or several each.
        arguments: Names of the launch arguments; a flag without one stays.
    """
    flags = {argument.replace("_", "-"): argument for argument in arguments} | OTHER_NAMES
    flag = re.compile(rf"--({'|'.join(sorted(flags, key=len, reverse=True))})(?![\w-])(?: (?=\S))?")
    return [
        "".join(
            part if part.startswith("`") else flag.sub(lambda found: f"{flags[found[1]]}:=", part)
            for part in _COMMANDS.split(problem)
        )
        for problem in problems
    ]
