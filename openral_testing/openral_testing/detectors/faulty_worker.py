"""A worker that runs `FaultyEngine` instead of its manifest's engine."""

from openral_perception_ros.inference.worker import run_worker
from openral_testing.detectors.faults import load

if __name__ == "__main__":
    run_worker(lambda _: load)
