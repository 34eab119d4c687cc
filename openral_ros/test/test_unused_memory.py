"""Freed memory leaves the process."""

import subprocess
import sys

import pytest

from openral_ros.unused_memory import release_unused_memory

CODE = """
import psutil
from openral_ros.unused_memory import release_unused_memory
release_unused_memory()
blocks = [bytes([n % 256]) * 60_000 for n in range(2_000)]
last = bytes(60_000)
held = psutil.Process().memory_info().rss
del blocks
release_unused_memory()
print(held - psutil.Process().memory_info().rss)
"""


@pytest.mark.skipif(not release_unused_memory(), reason="glibc alone can give memory back")
def test_what_was_freed_below_a_later_allocation_is_given_back() -> None:
    found = subprocess.run([sys.executable, "-P", "-c", CODE], capture_output=True, text=True, check=True)
    assert int(found.stdout) > 60_000_000
