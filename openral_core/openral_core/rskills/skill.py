"""Manifests of kind ``skill``."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from openral_core.documents import Document
from openral_core.rskills.manifest import Id, Manifest
from openral_core.verbs import Verb


class ParameterType(StrEnum):
    """Types a goal can carry; a pose is in map."""

    STRING = "string"
    FLOAT = "float"
    INT = "int"
    BOOL = "bool"
    POSE = "pose"


class ParameterSpec(Document):
    """One parameter of a skill."""

    name: Id
    type: ParameterType
    description: str = Field(min_length=1)
    required: bool = True


class SkillManifest(Manifest):
    """One acting skill: a verb with its parameters and what it occupies while it runs."""

    kind: Literal["skill"]
    verb: Verb
    parameters: tuple[ParameterSpec, ...] = ()
    resources: tuple[str, ...] = ()
    gpu_memory_mb: float = Field(default=0.0, ge=0.0)
    deadline: float = Field(gt=0.0, description="wall-clock time one goal may take [s]")
