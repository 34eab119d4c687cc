"""Environments of child processes: variables on an allow-list, so that no secret is passed on by accident."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

PASS_THROUGH_VARIABLE = "OPENRAL_PASS"
"""Variable that lists further variables for every node, separated by commas; ``*`` is allowed."""

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
    "SKIP_DEFAULT_XML_FILE",
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "MUJOCO_*", "PYOPENGL_*"),
    *("EGL_*", "__EGL_*", "__GLX_*", "__NV_*", "LIBGL_*", "MESA_*", "GALLIUM_*", "DRI_*", "VK_*"),
    *("OTEL_*", "HF_ENDPOINT", "HF_HUB_DISABLE_*", "COVERAGE_*", "COV_*"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
)
WORKER = (*MACHINE, *COMPUTE)
"""Variables of a worker with its own Python environment, which may run code shipped with model weights."""
NODE = (*MACHINE, *COMPUTE, *ROS)
"""Variables of a node."""


def filter_variables(environment: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    """Return the variables whose names match a pattern such as ``LC_*``."""
    allowed = tuple(patterns)
    return {
        name: value
        for name, value in environment.items()
        if any(fnmatchcase(name, pattern) for pattern in allowed)
    }


def node_environment(environment: Mapping[str, str], own: Iterable[str] = ()) -> dict[str, str]:
    """Return a node's environment: `NODE`, its ``own`` patterns and the variables the user passes on."""
    passed = [name.strip() for name in environment.get(PASS_THROUGH_VARIABLE, "").split(",") if name.strip()]
    return filter_variables(environment, (*NODE, *own, *passed))


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a worker with its own Python: nothing of ROS, Python or any account."""
    return filter_variables(environment, WORKER)
