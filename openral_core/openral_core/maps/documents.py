"""YAML documents read into frozen models, with errors that name file, key and valid values."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from openral_core.errors import OpenRALError

Document = TypeVar("Document", bound=BaseModel)


class MissingDocument(OpenRALError):
    """A file that was asked for is not there."""

    def __init__(self, path: Path) -> None:
        beside = sorted(p.name for p in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        super().__init__(f"no file {path}; beside it there is: {', '.join(beside) or 'nothing'}")


class InvalidDocument(OpenRALError):
    """A file whose content its model refuses; lists every problem."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        super().__init__(f"{path} is not valid:\n" + "\n".join(f"  {problem}" for problem in problems))
        self.problems = tuple(problems)


def read_document(path: Path, model: type[Document]) -> Document:
    """Read a YAML file into its model.

    Raises:
        MissingDocument: If there is no such file.
        InvalidDocument: If it is not YAML, or the model refuses it.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as missing:
        raise MissingDocument(path) from missing
    except yaml.YAMLError as error:
        raise InvalidDocument(path, [str(error)]) from error
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise InvalidDocument(path, [_problem(detail, model) for detail in error.errors()]) from error


def _problem(detail: ErrorDetails, model: type[BaseModel]) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "document"
    if detail["type"] != "extra_forbidden":
        return f"{where}: {detail['msg']}"
    owner = _model_at(model, detail["loc"][:-1])
    return f"{where}: unknown key '{detail['loc'][-1]}'; valid keys: {', '.join(owner.model_fields)}"


def _model_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel]:
    """The model that owns a location of an error; list indices and mapping keys are stepped over."""
    for part in loc:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
