"""Every kind of object by name, read from `types.yaml`."""

from collections.abc import Mapping
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator

from openral_core.documents import parse_document, read_yaml
from openral_core.errors import listed
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.kind import ObjectKind
from openral_sim.objects.shapes import SHAPES

_FILE = "types.yaml"


def _load() -> Mapping[str, ObjectKind]:
    with as_file(files(__package__) / _FILE) as path:
        content = read_yaml(path)
    kinds = {
        name: parse_document(ObjectKind, entry if isinstance(entry, dict) else {}, f"{_FILE}: {name}")
        for name, entry in content.items()
    }
    return MappingProxyType(kinds)


KINDS = _load()


def _known(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"no kind '{name}'; valid kinds: {listed(KINDS)}")
    return name


ObjectKindName = Annotated[str, AfterValidator(_known)]


def build_object(builder: ObjectBuilder) -> None:
    """Add every part of the builder's kind to its body, its mass spread over what collides."""
    SHAPES[builder.kind.shape](builder)
    builder.set_mass(builder.kind.mass)
