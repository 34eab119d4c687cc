"""A worker that runs the manifest's own engine, with faults on demand."""

from openral_perception_ros.conformance.injected_engine import injected
from openral_perception_ros.workers.main import run_worker

if __name__ == "__main__":
    run_worker(injected)
