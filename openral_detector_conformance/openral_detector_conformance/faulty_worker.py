"""A worker that runs `FaultyEngine` instead of its manifest's engine."""

from openral_detector_conformance.faults import load
from openral_perception_ros.inference.worker import run_worker

if __name__ == "__main__":
    run_worker(lambda _: load)
