"""Order statistics without numpy's overhead for small arrays."""

import numpy as np
from numpy.typing import NDArray


def quantile(values: NDArray[np.float64], share: float) -> float:
    """The value below which ``share`` in [0, 1] of ``values`` (N,) lies; one of them."""
    index = round(share * (len(values) - 1))
    return float(np.partition(values, index)[index])
