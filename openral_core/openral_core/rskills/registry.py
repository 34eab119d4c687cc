"""Registry of rSkills, loaded from ``<folder>/<id>/rskill.yaml``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from openral_core.documents import InvalidDocument, parse_document, read_yaml
from openral_core.errors import format_choices
from openral_core.names import Name, UnknownId, find_named, slug
from openral_core.rskills.manifests import DetectorManifest, SkillManifest

MANIFEST_FILE = "rskill.yaml"
AnyManifest = DetectorManifest | SkillManifest
_KINDS: Mapping[str, type[AnyManifest]] = {
    "detector": DetectorManifest,
    "skill": SkillManifest,
}


class InvalidManifest(InvalidDocument):
    """An rskill.yaml whose content does not match its schema."""


class Registry:
    """All rSkills, by id, alias or slug."""

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
            InvalidManifest: If a file is invalid or two share a name; it names file, key and valid values.
        """
        files = [file for folder in folders for file in sorted(folder.glob(f"*/{MANIFEST_FILE}"))]
        if not files:
            raise InvalidManifest(
                " or ".join(map(str, folders)),
                [f"no rSkill found: expected <id>/{MANIFEST_FILE} in this folder"],
            )
        return cls({file: load_manifest(file) for file in files})

    @property
    def detectors(self) -> tuple[DetectorManifest, ...]:
        """Every detector, by id."""
        return tuple(m for _, m in sorted(self._by_id.items()) if isinstance(m, DetectorManifest))

    @property
    def skills(self) -> tuple[SkillManifest, ...]:
        """Every acting skill, by id."""
        return tuple(m for _, m in sorted(self._by_id.items()) if isinstance(m, SkillManifest))

    def detector(self, name: str) -> DetectorManifest:
        """Return the detector with this id, alias or slug.

        Raises:
            UnknownId: If there is none; the message lists every detector.
        """
        found = self._by_id[find_named("detector", name, (m.name for m in self.detectors)).id]
        if not isinstance(found, DetectorManifest):
            raise UnknownId("detector", name, (m.id for m in self.detectors))
        return found

    def skill(self, name: str) -> SkillManifest:
        """Return the acting skill with this id, alias or slug.

        Raises:
            UnknownId: If there is none; the message lists every skill.
        """
        found = self._by_id[find_named("skill", name, (m.name for m in self.skills)).id]
        if not isinstance(found, SkillManifest):
            raise UnknownId("skill", name, (m.id for m in self.skills))
        return found

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
            file, [f"kind: found {content.get('kind')!r}, expected one of {format_choices(_KINDS)}"]
        )
    manifest = parse_document(model, content, file, InvalidManifest)
    if manifest.id != file.parent.name:
        raise InvalidManifest(
            file,
            [f"id: {manifest.id!r} must equal the folder name {file.parent.name!r}"],
        )
    return manifest


def _claim(taken: dict[str, Path], path: Path, name: Name) -> None:
    """Claim the id, aliases and slugs of one rSkill; slugs become namespaces, so they must be unique."""
    claimed = {name.id, name.slug, *name.aliases, *map(slug, name.aliases)}
    for claim in sorted(claimed):
        if claim in taken:
            raise InvalidManifest(path, [f"name {claim!r} is already used by {taken[claim]}"])
    taken.update(dict.fromkeys(claimed, path))
