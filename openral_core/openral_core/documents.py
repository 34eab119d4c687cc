"""YAML documents checked by pydantic; errors name the file, the key, its value and the valid values."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from openral_core.errors import OpenRALError, format_choices


class Document(BaseModel):
    """Base of everything read from YAML: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


AnyDocument = TypeVar("AnyDocument", bound=BaseModel)


class InvalidDocument(OpenRALError):
    """A file whose content does not match its schema."""

    def __init__(self, path: Path | str, problems: list[str]) -> None:
        self.path = Path(path)
        self.problems = tuple(problems)
        super().__init__(f"{path}: " + "; ".join(problems))


MAX_NESTING = 1_000
"""Levels of a document at which it is refused: libyaml overflows the stack of the process at some 50,000."""
_BRACKETS = re.compile(r"[\[\]{}]")
_NESTED_BLOCKS = re.compile(rf"(?:[-?:][ \t]+){{{MAX_NESTING}}}|^ {{{MAX_NESTING}}}", re.MULTILINE)


def parse_yaml(text: str) -> object:
    """Parse YAML, by libyaml where PyYAML was built with it: the parser in Python needs 0.3 s for a scene.

    Raises:
        yaml.YAMLError: If the text is not YAML.
        RecursionError: If it is nested too deeply.
        ValueError: If a number or a date is none that Python can hold.
    """
    if _is_too_deep(text):
        raise RecursionError(f"more than {MAX_NESTING} levels")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _is_too_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth = depth + 1 if bracket[0] in "[{" else max(0, depth - 1)
        if depth > MAX_NESTING:
            return True
    return _NESTED_BLOCKS.search(text) is not None


def read_yaml(path: Path) -> Mapping[str, object]:
    """Read the mapping in a YAML file.

    Raises:
        InvalidDocument: If the file cannot be read, is not YAML or is not a mapping.
    """
    try:
        content = parse_yaml(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise InvalidDocument(path, ["it is nested too deeply"]) from error
    except (OSError, ValueError, OverflowError, yaml.YAMLError) as error:
        raise InvalidDocument(path, [str(error)]) from error
    if not isinstance(content, dict):
        raise InvalidDocument(path, [f"expected a mapping of keys, found {type(content).__name__}"])
    return content


def parse_document(
    model: type[AnyDocument],
    content: object,
    path: Path | str,
    error_type: type[InvalidDocument] = InvalidDocument,
) -> AnyDocument:
    """Validate ``content`` as a ``model``.

    Raises:
        InvalidDocument: (or ``error_type``) naming every wrong key and the valid ones.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise error_type(path, [describe_problem(model, detail) for detail in error.errors()]) from error


def load_document(
    model: type[AnyDocument],
    path: Path,
    error_type: type[InvalidDocument] = InvalidDocument,
) -> AnyDocument:
    """Read and validate one YAML file; raises as `parse_document` does."""
    return parse_document(model, read_yaml(path), path, error_type)


def describe_problem(model: type[BaseModel], error: ErrorDetails) -> str:
    """Describe one error of pydantic by key, found value and, for an unknown key, the valid ones."""
    where = ".".join(str(part) for part in error["loc"]) or "(document)"
    if error["type"] == "extra_forbidden":
        return f"unknown key {where!r}: valid here are {format_choices(valid_keys(model, error['loc'][:-1]))}"
    if error["type"] == "missing":
        return f"missing key {where!r}"
    return f"{where}: {error['msg']}, found {error['input']!r}"


def valid_keys(model: type[BaseModel], where: tuple[int | str, ...]) -> list[str]:
    """List the keys of the model at ``where``; unions and lists are not followed."""
    current = model
    for part in where:
        field = current.model_fields.get(str(part))
        if field is None:
            continue
        inner = model_in(field.annotation)
        if inner is None:
            break
        current = inner
    return sorted(current.model_fields)


def model_in(annotation: object) -> type[BaseModel] | None:
    """Return the model that an annotation contains, as in ``tuple[Model, ...]``; None if there is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        inner = model_in(argument)
        if inner is not None:
            return inner
    return None
