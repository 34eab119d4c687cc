"""Memory that a process no longer uses, given back to the system."""

import ctypes
import gc
from collections.abc import Callable
from functools import lru_cache


def release_unused_memory() -> bool:
    """Give freed memory back; return False where the C library cannot (any but glibc).

    glibc keeps what was freed below the newest allocation: 100 MB after a stream of images.
    """
    gc.collect()
    trim = _malloc_trim()
    if trim is None:
        return False
    trim(0)
    return True


@lru_cache(maxsize=1)
def _malloc_trim() -> Callable[[int], int] | None:
    """Return glibc's function, found once."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
