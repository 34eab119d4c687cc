"""A worker never outlives its node, however the node ends."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends.

    Source: prctl(2). The signal follows the parent's *thread*: one that outlives the worker has to start it.
    """
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died while this process was starting
        os._exit(1)
