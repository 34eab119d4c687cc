"""A worker that runs `faulty_engine`, whatever engine the manifest names."""

from openral_perception_ros.conformance.faulty_engine import load
from openral_perception_ros.workers.main import run_worker

if __name__ == "__main__":
    run_worker(lambda _: load)
