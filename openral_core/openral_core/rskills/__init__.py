"""rSkills: the manifests of detectors and acting skills, and the registry that loads them."""

from openral_core.rskills.detector import (
    DetectorManifest,
    Licence,
    Sensor,
    VocabularySpec,
    Weights,
)
from openral_core.rskills.registry import InvalidManifest, Registry
from openral_core.rskills.skill import ParameterSpec, ParameterType, SkillManifest

__all__ = [
    "DetectorManifest",
    "InvalidManifest",
    "Licence",
    "ParameterSpec",
    "ParameterType",
    "Registry",
    "Sensor",
    "SkillManifest",
    "VocabularySpec",
    "Weights",
]
