"""From a frame to what a model takes in, remembering the way back."""

from openral_perception_ros.engines.inputs.fits import Fit, FitKind, fit_of
from openral_perception_ros.engines.inputs.preprocessing import InvalidPreprocessing, Preprocessing

__all__ = ["Fit", "FitKind", "InvalidPreprocessing", "Preprocessing", "fit_of"]
