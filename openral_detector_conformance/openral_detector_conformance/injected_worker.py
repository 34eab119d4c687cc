"""A worker that runs the manifest's own engine, with faults on demand."""

from openral_detector_conformance.faults import injected
from openral_perception_ros.inference.worker import run_worker

if __name__ == "__main__":
    run_worker(injected)
