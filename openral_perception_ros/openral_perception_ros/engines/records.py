"""What lies in a folder of weights: one JSON file beside them, written when they were fetched or exported."""

import json
import os
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from openral_core.documents import InvalidDocument

FILE = "openral-weights.json"


class InvalidRecord(InvalidDocument):
    """A record that was torn or edited."""


class Record(BaseModel):
    """Of one rSkill: where its weights came from and the digest of every file.

    Attributes:
        revision: Full commit of the repository.
        files: sha256 of each file.
        blobs: Git's blob id of each file that the repository holds itself (code, configuration), checked
            when it was fetched: with the commit they say which code this is.
        exported: Files made here from the others.
    """

    model_config = ConfigDict(frozen=True)

    rskill: str
    uri: str
    revision: str
    licence: str
    accepted: str = ""
    files: dict[str, str]
    blobs: dict[str, str] = {}
    exported: tuple[str, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """The record in a folder of weights, if there is one.

        Raises:
            InvalidRecord: If it cannot be read.
        """
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except ValidationError as error:
            problems = [
                f"{'.'.join(map(str, each['loc'])) or FILE}: {each['msg']}" for each in error.errors()
            ]
            raise InvalidRecord(path, problems) from error
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRecord(path, [str(error)]) from error

    def write(self, folder: Path) -> None:
        """Keep it beside the weights, whole or not at all."""
        replace_file(folder / FILE, json.dumps(self.model_dump(mode="json"), indent=2) + "\n")


def replace_file(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old or the new one."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
