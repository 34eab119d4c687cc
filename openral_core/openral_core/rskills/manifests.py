"""Schemas of rSkill manifests of the kinds ``detector`` and ``skill``."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from openral_core.detectors import Mode, Vocabulary
from openral_core.documents import Document
from openral_core.names import ID_PATTERN, Name
from openral_core.verbs import Verb

Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]


class Manifest(Document):
    """Keys that every manifest has."""

    id: Id
    aliases: tuple[Id, ...] = ()
    description: str = Field(min_length=1, max_length=200)

    @property
    def name(self) -> Name:
        """The id with its aliases."""
        return Name(self.id, self.aliases)


OptionValue = str | int | float | bool
Engine = Literal["rtdetr_onnx", "rtdetr_hf", "zeroshot_hf", "vlm_grounding", "sim_groundtruth"]


class Sensor(StrEnum):
    """Image streams that a detector needs from each of its cameras."""

    RGB = "rgb"
    DEPTH = "depth"
    SEMANTIC = "semantic"


class VocabularySpec(Document):
    """Labels: ``closed`` lists them here or in a file next to the manifest; ``open`` accepts any text."""

    kind: Vocabulary
    labels: tuple[str, ...] = ()
    file: str = ""

    @model_validator(mode="after")
    def _labels_match_kind(self) -> Self:
        if self.kind is Vocabulary.CLOSED and bool(self.labels) == bool(self.file):
            raise ValueError("a closed vocabulary needs either 'labels' or 'file'")
        return self


class Weights(Document):
    """Source of the weights; ``files`` maps each file to its sha256."""

    uri: Annotated[str, StringConstraints(pattern=r"^(hf|file)://.+")]
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$|^$")] = ""
    files: dict[str, Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]] = Field(
        default_factory=dict
    )


class Licence(Document):
    """SPDX id or name; ``accept`` is the word a user must type to accept it."""

    name: str
    commercial_use: bool
    url: str = ""
    accept: str = ""


class Environment(Document):
    """Python environment of the worker: ``main``, or one made from a requirements file."""

    name: str = "main"
    requirements: str = ""


class DetectorManifest(Manifest):
    """One detector: the engine that runs it and the mode that triggers it."""

    kind: Literal["detector"]
    engine: Engine
    mode: Mode
    vocabulary: VocabularySpec
    sensors: tuple[Sensor, ...] = (Sensor.RGB,)
    input_size: tuple[int, int] | None = Field(
        default=None, description="(width, height) [px]; None = source"
    )
    threshold: float = Field(default=0.3, ge=0.0, le=1.0)
    scores_calibrated: bool = True
    weights: Weights | None = None
    environment: Environment = Environment()
    licence: Licence
    memory_mb: float = Field(ge=0.0, description="declared memory of the active worker [MB]")
    latency: float = Field(gt=0.0, description="typical time of one detection [s]")
    options: dict[str, OptionValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _mode_matches_vocabulary(self) -> Self:
        if self.mode is Mode.CONTINUOUS and self.vocabulary.kind is not Vocabulary.CLOSED:
            raise ValueError("a continuous detector needs a closed vocabulary because it receives no query")
        return self


class ParameterType(StrEnum):
    """Types of skill parameters; a pose is in map."""

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
    """One acting skill: a verb, its parameters and the resources that it occupies."""

    kind: Literal["skill"]
    verb: Verb
    parameters: tuple[ParameterSpec, ...] = ()
    resources: tuple[str, ...] = ()
    gpu_memory_mb: float = Field(default=0.0, ge=0.0)
    deadline: float = Field(gt=0.0, description="wall-clock time one goal may take [s]")
