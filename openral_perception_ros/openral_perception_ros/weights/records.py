"""What was fetched, and which licences were accepted; one JSON file beside the weights."""

import json
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict

FILE = "openral-weights.json"


class Record(BaseModel):
    """Of one rSkill: the revision fetched, the sha256 of every file, and the licence it came under."""

    model_config = ConfigDict(frozen=True)

    rskill: str
    uri: str
    revision: str
    licence: str
    accepted: str = ""
    files: dict[str, str]

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """The record in a checkpoint folder, if there is one."""
        path = folder / FILE
        return cls.model_validate_json(path.read_text(encoding="utf-8")) if path.is_file() else None

    def write(self, folder: Path) -> None:
        """Keep it beside the weights."""
        (folder / FILE).write_text(json.dumps(self.model_dump(), indent=2) + "\n", encoding="utf-8")
