"""Run two simulated robots in one ROS domain, each with a goal of its own.

Usage: tools/env python examples/two_robots.py [arguments of deploy_sim.py]
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOALS = {"/robot1": "find the mug", "/robot2": "find the bread"}


def main(arguments: list[str]) -> int:
    """Start one graph per namespace and wait for both; 0 if both goals were reached."""
    robots = {
        namespace: subprocess.Popen(
            [sys.executable, ROOT / "deploy_sim.py", "--namespace", namespace, "--goal", goal, *arguments],
            cwd=ROOT,
        )
        for namespace, goal in GOALS.items()
    }
    codes = {namespace: robot.wait() for namespace, robot in robots.items()}
    for namespace, code in codes.items():
        print(f"{namespace}: {GOALS[namespace]!r} ended with exit code {code}")
    return max(codes.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
