"""Environment variables that a child process gets: those on a list, so that no key is handed on by chance."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

PASSED = "OPENRAL_PASS"
"""A variable that names others which every node gets besides, separated by commas; ``*`` is allowed."""

MACHINE = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR"),
    *("TMP", "TEMP", "XDG_*", "LD_LIBRARY_PATH", "LD_PRELOAD", "MALLOC_*"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
COMPUTE = (
    *("CUDA_*", "NVIDIA_*", "HIP_*", "ROCR_*", "HSA_*", "ZE_*", "SYCL_*", "OMP_*", "MKL_*", "OPENBLAS_*"),
    *("NUMEXPR_*", "ORT_*", "TORCH_*", "PYTORCH_*", "TRITON_*", "BNB_*", "TOKENIZERS_PARALLELISM"),
    *("HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_MODULES_CACHE", "TRANSFORMERS_*"),
)
ROS = (
    *("ROS_*", "_ROS_*", "RMW_*", "RCUTILS_*", "RCL_*", "AMENT_*", "COLCON_*", "CMAKE_PREFIX_PATH"),
    *("FASTRTPS_*", "FASTDDS_*", "CYCLONEDDS_URI", "ZENOH_*", "PYTHON*", "VIRTUAL_ENV", "OPENRAL_*"),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "MUJOCO_*", "PYOPENGL_*"),
    *("EGL_*", "__EGL_*", "__GLX_*", "__NV_*", "LIBGL_*", "MESA_*", "GALLIUM_*", "DRI_*", "VK_*"),
    *("OTEL_*", "HF_ENDPOINT", "HF_HUB_DISABLE_*", "COVERAGE_*", "COV_*"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
)
WORKER = (*MACHINE, *COMPUTE)
"""Of a worker with a Python environment of its own, which may run code that came with weights."""
NODE = (*MACHINE, *COMPUTE, *ROS)
"""Of a node."""


def chosen(environment: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    """The variables of an environment whose names match a pattern, as in ``LC_*``."""
    kept = tuple(patterns)
    return {
        name: value
        for name, value in environment.items()
        if any(fnmatchcase(name, pattern) for pattern in kept)
    }


def for_node(environment: Mapping[str, str], own: Iterable[str] = ()) -> dict[str, str]:
    """What a node gets: what every node gets, ``own`` patterns besides, and what the user passes on."""
    passed = [each.strip() for each in environment.get(PASSED, "").split(",") if each.strip()]
    return chosen(environment, (*NODE, *own, *passed))


def for_worker(environment: Mapping[str, str]) -> dict[str, str]:
    """What a worker with an environment of its own gets: nothing of ROS, Python or any account."""
    return chosen(environment, WORKER)
