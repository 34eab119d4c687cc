"""Whether this machine can run the graph, and what to do where it cannot."""

from openral_bringup.checks.findings import Finding, Verdict, conclusion
from openral_bringup.checks.machines import gpu, interpreter, memory, ports, shared_memory
from openral_bringup.checks.middleware import discovery, packages, weights

CHECKS = (interpreter, packages, memory, shared_memory, gpu, weights, ports, discovery)
"""In the order in which what fails should be mended."""

__all__ = ["CHECKS", "Finding", "Verdict", "conclusion"]
