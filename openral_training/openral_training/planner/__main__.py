"""Train the planner's adapter: ``python -m openral_training.planner planner OPTIONS``, the options as JSON.

Exit code: 0 done; 2 refused, with the reason; 130 a training that was interrupted and can be resumed.
"""

import signal
import sys
import threading

from openral_core.errors import OpenRALError
from openral_training.planner.options import PlannerOptions
from openral_training.planner.trainer import train_planner


def main() -> int:
    """Train until the end, or until SIGINT or SIGTERM."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    options = PlannerOptions.model_validate_json(sys.argv[-1])
    try:
        return 0 if train_planner(options, lambda line: print(line, flush=True), stop.is_set) else 130
    except OpenRALError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
