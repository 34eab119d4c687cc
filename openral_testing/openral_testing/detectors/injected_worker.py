"""A worker that runs the manifest's own engine, with faults on demand."""

from openral_perception_ros.inference.worker import run_worker
from openral_testing.detectors.faults import injected

if __name__ == "__main__":
    run_worker(injected)
