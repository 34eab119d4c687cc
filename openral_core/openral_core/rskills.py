"""rSkills: ids and slugs, the manifests of detectors and acting skills, and the registry that loads them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, NonNegativeInt, PositiveInt, StringConstraints, model_validator

from openral_core.documents import Document, InvalidDocument, parse_document, read_yaml
from openral_core.errors import OpenRALError, format_choices, quoted
from openral_core.policies import PolicyContract

ID_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,63}$"


class InvalidName(OpenRALError):
    """An id with characters that ids cannot have."""

    def __init__(self, what: str, name: str) -> None:
        rule = "use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a-z or 0-9"
        super().__init__(f"{what} {name!r} is not valid: {rule}")


class UnknownId(OpenRALError):
    """An id, alias or slug that does not exist."""

    def __init__(self, what: str, name: str, valid: Iterable[str]) -> None:
        super().__init__(f"unknown {what} {name!r}: expected one of {format_choices(valid)}")


def slug(rskill_id: str) -> str:
    """Return the id as a ROS name: every character outside ``[a-z0-9_]`` becomes ``_``."""
    return re.sub(r"[^a-z0-9_]", "_", rskill_id.lower())


@dataclass(frozen=True, slots=True)
class Name:
    """An id with its aliases and slug."""

    id: str
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (self.id, *self.aliases):
            if not re.fullmatch(ID_PATTERN, name):
                raise InvalidName("id", name)

    @property
    def slug(self) -> str:
        """The id as a legal ROS name."""
        return slug(self.id)

    def answers_to(self, name: str) -> bool:
        """Test if ``name`` is this id, one of its aliases or its slug."""
        return name in (self.id, self.slug, *self.aliases)


def find_named(what: str, requested: str, names: Iterable[Name]) -> Name:
    """Return the name whose id, alias or slug is ``requested``.

    Raises:
        UnknownId: If there is none; the message lists every id and alias.
    """
    candidates = tuple(names)
    for name in candidates:
        if name.answers_to(requested):
            return name
    raise UnknownId(what, requested, (valid for name in candidates for valid in (name.id, *name.aliases)))


class Mode(StrEnum):
    """Trigger of a detector: every frame, or a request."""

    CONTINUOUS = "continuous"
    ON_DEMAND = "on_demand"


class Vocabulary(StrEnum):
    """Labels that a detector can report: a fixed list, or any text."""

    CLOSED = "closed"
    OPEN = "open"


class Verb(StrEnum):
    """Action that a skill performs."""

    NAVIGATE = "NAVIGATE"
    LOOK_AT = "LOOK_AT"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    GRASP = "GRASP"
    PLACE = "PLACE"
    POUR = "POUR"
    HANDOVER = "HANDOVER"
    EXPLORE = "EXPLORE"
    SWITCH = "SWITCH"
    PRESS = "PRESS"


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


OptionValue = str | int | float | bool | tuple[float, ...]
Score = Annotated[float, Field(ge=0.0, le=1.0)]
EngineName = Literal[
    "onnx",
    "rtdetr_onnx",
    "rtdetr_hf",
    "zeroshot_hf",
    "grounding_dino",
    "vlm_grounding",
    "kserve",
    "openai_vision",
    "sim_groundtruth",
]


class Sensor(StrEnum):
    """Image streams that a detector needs from each of its cameras."""

    RGB = "rgb"
    DEPTH = "depth"
    SEMANTIC = "semantic"


class VocabularySpec(Document):
    """Labels: ``closed`` lists them here or in a file next to the manifest; ``open`` accepts any text.

    A list names the classes of the model in their order; a map names classes by number, and the classes that
    it leaves out are never reported. ``coco80`` and ``coco91`` are shipped: COCO's classes without gaps in
    their numbers, or by its own numbers.
    With ``colours``, an on-demand detector with a closed vocabulary measures the colours that a query names;
    with ``relations``, it judges ranks and relations ("the left mug", "the mug next to the bowl").
    """

    kind: Vocabulary
    labels: tuple[str, ...] | dict[NonNegativeInt, str] | Literal["coco80", "coco91"] = ()
    file: str = ""
    colours: bool = False
    relations: bool = False

    @model_validator(mode="after")
    def _labels_match_kind(self) -> Self:
        if self.kind is Vocabulary.CLOSED and bool(self.labels) == bool(self.file):
            raise ValueError("a closed vocabulary needs either 'labels' or 'file'")
        for name in ("colours", "relations"):
            if getattr(self, name) and self.kind is not Vocabulary.CLOSED:
                raise ValueError(f"'{name}' is for a closed vocabulary; an open one grounds them itself")
        return self


HUB, HTTPS = "hf://", "https://"


class Weights(Document):
    """Source of the weights; ``files`` maps each file to its sha256, ``sizes`` some of them to bytes.

    ``uri`` is a repository of the model hub (``hf://owner/name``), the address below which the files lie
    (``https://host/path``), or a folder beside the manifest (``file://weights``).
    """

    uri: Annotated[str, StringConstraints(pattern=r"^(hf|https|file)://.+")]
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$|^$")] = ""
    files: dict[str, Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]] = {}
    sizes: dict[str, PositiveInt] = {}

    @model_validator(mode="after")
    def _sizes_are_of_pinned_files(self) -> Self:
        if unpinned := sorted(set(self.sizes) - set(self.files)):
            raise ValueError(f"'sizes' names {format_choices(unpinned)}, whose sha256 is not in 'files'")
        if self.uri.startswith(HTTPS) and not self.files:
            raise ValueError("'files' must name every file below an https:// address with its sha256")
        if unsafe := [name for name in self.files if name.startswith("/") or ".." in name.split("/")]:
            raise ValueError(f"'files' names {format_choices(unsafe)}, outside the folder of the weights")
        return self

    @property
    def remote(self) -> bool:
        """True if a server has the weights, False if they lie beside the manifest."""
        return self.uri.startswith((HUB, HTTPS))


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
    engine: EngineName
    mode: Mode
    vocabulary: VocabularySpec
    sensors: tuple[Sensor, ...] = (Sensor.RGB,)
    imagery: Literal["photographs", "renders"] = Field("photographs", description="images of its training")
    photographs_ap50: Score | None = Field(default=None, description="AP50 on photographs; None = unmeasured")
    input_size: tuple[int, int] | None = Field(
        default=None, description="(width, height) [px]; None = source"
    )
    threshold: Score = 0.3
    anchor_threshold: Score | None = Field(default=None, description="a relation's anchor; None = threshold")
    half_scale_threshold: Score | None = Field(default=None, description="None = half scale is not tried")
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
        if self.vocabulary.colours and (self.mode is Mode.CONTINUOUS or Sensor.RGB not in self.sensors):
            raise ValueError("'colours' needs the mode on_demand and the sensor rgb")
        if self.vocabulary.relations and self.mode is Mode.CONTINUOUS:
            raise ValueError("'relations' needs the mode on_demand")
        for key, needed in (("anchor_threshold", "relations"), ("half_scale_threshold", "colours")):
            if getattr(self, key) is not None and not getattr(self.vocabulary, needed):
                raise ValueError(f"'{key}' needs '{needed}'")
        return self

    @property
    def least_score(self) -> float:
        """Score from which the engine reports objects."""
        return min(self.threshold, 1.0 if self.anchor_threshold is None else self.anchor_threshold)


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


class PolicyManifest(Manifest, PolicyContract):
    """A remote policy that carries out a verb; the parameters are those of the verb's skill."""

    kind: Literal["policy"]
    verb: Verb


MANIFEST_FILE = "rskill.yaml"
AnyManifest = DetectorManifest | SkillManifest | PolicyManifest
OneKind = TypeVar("OneKind", DetectorManifest, SkillManifest, PolicyManifest)
_KINDS: Mapping[str, type[AnyManifest]] = {
    "detector": DetectorManifest,
    "skill": SkillManifest,
    "policy": PolicyManifest,
}


class InvalidManifest(InvalidDocument):
    """An rskill.yaml whose content does not match its schema."""


class Registry:
    """All rSkills, by id, alias or slug; for a name of none, `UnknownId` lists those of its kind."""

    def __init__(self, manifests: Mapping[Path, AnyManifest]) -> None:
        self._by_id: dict[str, AnyManifest] = {}
        self._folders: dict[str, Path] = {}
        taken: dict[str, Path] = {}
        for path, manifest in manifests.items():
            _claim(taken, path, manifest.name)
            self._by_id[manifest.id] = manifest
            self._folders[manifest.id] = path.parent

    @classmethod
    def load(cls, folders: Sequence[Path]) -> Self:
        """Load every manifest below these folders.

        Raises:
            InvalidManifest: If a folder cannot be read, a file is invalid or two share a name; it names file,
                key and valid values.
        """
        try:
            files = [file for folder in folders for file in sorted(folder.glob(f"*/{MANIFEST_FILE}"))]
        except OSError as error:
            names = " or ".join(str(folder)[:200] for folder in folders)
            raise InvalidManifest(names, [f"cannot be read: {error.strerror}"]) from error
        if not files:
            raise InvalidManifest(
                " or ".join(map(str, folders)),
                [f"no rSkill found: expected <id>/{MANIFEST_FILE} in this folder"],
            )
        return cls({file: load_manifest(file) for file in files})

    @property
    def detectors(self) -> tuple[DetectorManifest, ...]:
        """Every detector, by id."""
        return self._of_kind(DetectorManifest)

    @property
    def skills(self) -> tuple[SkillManifest, ...]:
        """Every acting skill, by id."""
        return self._of_kind(SkillManifest)

    def detector(self, name: str) -> DetectorManifest:
        """Return the detector with this id, alias or slug."""
        return self._named("detector", name, self.detectors)

    def skill(self, name: str) -> SkillManifest:
        """Return the acting skill with this id, alias or slug."""
        return self._named("skill", name, self.skills)

    def policy(self, name: str) -> PolicyManifest:
        """Return the policy with this id, alias or slug."""
        return self._named("policy", name, self._of_kind(PolicyManifest))

    def _of_kind(self, kind: type[OneKind]) -> tuple[OneKind, ...]:
        return tuple(manifest for _, manifest in sorted(self._by_id.items()) if isinstance(manifest, kind))

    def _named(self, noun: str, name: str, manifests: Sequence[OneKind]) -> OneKind:
        id_ = find_named(noun, name, (manifest.name for manifest in manifests)).id
        return next(manifest for manifest in manifests if manifest.id == id_)

    def folder(self, rskill_id: str) -> Path:
        """Return the folder of the manifest with exactly this id."""
        return self._folders[rskill_id]


def load_manifest(file: Path) -> AnyManifest:
    """Load one rskill.yaml, validated by the schema of its ``kind``.

    Raises:
        InvalidManifest: If the file is invalid or its id differs from the name of its folder.
    """
    content = read_yaml(file)
    model = _KINDS.get(str(content.get("kind")))
    if model is None:
        raise InvalidManifest(
            file, [f"kind: found {quoted(content.get('kind'))}, expected one of {format_choices(_KINDS)}"]
        )
    manifest = parse_document(model, content, file, InvalidManifest)
    if manifest.id != file.parent.name:
        raise InvalidManifest(file, [f"id: {manifest.id!r} must equal the folder name {file.parent.name!r}"])
    return manifest


def _claim(taken: dict[str, Path], path: Path, name: Name) -> None:
    """Claim the id, aliases and slugs of one rSkill; slugs become namespaces, so they must be unique."""
    claimed = {name.id, name.slug, *name.aliases, *map(slug, name.aliases)}
    for claim in sorted(claimed):
        if claim in taken:
            raise InvalidManifest(path, [f"name {claim!r} is already used by {taken[claim]}"])
    taken.update(dict.fromkeys(claimed, path))
