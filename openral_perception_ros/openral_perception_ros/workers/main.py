"""Entry of a worker process; started by `WorkerProcess`."""

import argparse
from collections.abc import Callable
from multiprocessing.connection import Connection

from openral_perception_ros.engines import EngineLoader, engine_loader
from openral_perception_ros.workers.arena import Arena
from openral_perception_ros.workers.parents import die_with
from openral_perception_ros.workers.serving import Servant, serve


def parse_arguments() -> argparse.Namespace:
    """Descriptors inherited from the node, and its process id."""
    parser = argparse.ArgumentParser(description="Run one detector engine for one node.")
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--arena", type=int, required=True)
    parser.add_argument("--parent", type=int, required=True)
    return parser.parse_args()


def run_worker(loader: Callable[[str], EngineLoader]) -> None:
    """Serve the node that started this process, with engines from ``loader``."""
    arguments = parse_arguments()
    die_with(arguments.parent)
    serve(Connection(arguments.socket), Servant(Arena(arguments.arena), loader))


if __name__ == "__main__":
    run_worker(engine_loader)
