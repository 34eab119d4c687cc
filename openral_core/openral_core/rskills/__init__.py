"""rSkills: the manifests of detectors and acting skills, and the registry that loads them."""

from openral_core.rskills.manifests import (
    DetectorManifest,
    Licence,
    ParameterSpec,
    ParameterType,
    Sensor,
    SkillManifest,
    VocabularySpec,
    Weights,
)
from openral_core.rskills.registry import InvalidManifest, Registry

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
