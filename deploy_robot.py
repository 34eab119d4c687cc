"""Bring up everything but the drivers on a real robot: `python deploy_robot.py --help`.

Any Python may start it: it continues in the virtual environment, with the built packages in sight.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def in_built_environment() -> bool:
    """Test if this process was started by `tools/env python`."""
    here = os.environ.get("OPENRAL_WORKSPACE") == str(ROOT)
    return here and Path(sys.prefix).resolve() == (ROOT / ".venv").resolve()


if __name__ == "__main__":
    if not in_built_environment():
        environment = str(ROOT / "tools" / "env")
        os.execv(environment, [environment, str(ROOT / ".venv/bin/python"), "-P", __file__, *sys.argv[1:]])
    from openral_bringup.deploy.main import robot_main

    sys.exit(robot_main())
