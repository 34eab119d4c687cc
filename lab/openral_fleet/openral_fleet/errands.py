"""Lists of errands, read from YAML or from lines of text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from openral_core.documents import Document, InvalidDocument, parse_document, read_yaml
from openral_core.errors import format_choices
from openral_core.prompts import NAME_CHARACTERS, PROMPT_CHARACTERS
from openral_core.skills import Verb
from openral_core.text.stop_words import is_stop_phrase

MAX_ERRANDS = 200
"""Longest list: every change of an errand writes the whole journal, some 100 kB at this length."""
YAML = (".yaml", ".yml")
ErrandId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,40}$")]


class InvalidErrands(InvalidDocument):
    """A list of errands that cannot be used."""


class Errand(Document):
    """One errand: a goal in words, and rules for its allocation."""

    id: ErrandId
    goal: str = Field(min_length=1, max_length=PROMPT_CHARACTERS)
    priority: int = Field(default=0, ge=-9, le=9)  # Errands of a higher one go first.
    # Latest begin after the begin of the list [s]; 0 = none.
    deadline: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)
    # Verbs that a robot must have, besides those that the goal is known to need.
    requires: tuple[Verb, ...] = ()
    after: tuple[ErrandId, ...] = ()  # Errands that must be done before this one begins.
    robot: str = Field(default="", max_length=NAME_CHARACTERS)  # The only robot that may do it; "" = any.
    # Scene-graph agent that the goal is for; "" = the robot's default.
    requester: str = Field(default="", max_length=NAME_CHARACTERS)
    repeatable: bool | None = None  # True if doing it twice does no harm; None decides by the kind of goal.


class ErrandList(Document):
    """Errands in the order in which they were given."""

    errands: tuple[Errand, ...] = Field(min_length=1, max_length=MAX_ERRANDS)


def read_errands(path: Path) -> ErrandList:
    """Read a list from a YAML file with the key ``errands``, or from a text with one goal a line.

    Raises:
        InvalidErrands: Naming every problem.
    """
    if path.suffix in YAML:
        try:
            return parse_errands(read_yaml(path), path)
        except InvalidErrands:
            raise
        except InvalidDocument as error:
            raise InvalidErrands(path, list(error.problems)) from error
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidErrands(path, [str(error)]) from error
    return errands_of_lines(lines, path)


def errands_of_lines(lines: list[str], path: Path | str = "errands") -> ErrandList:
    """Return the errands of lines of text; empty ones and those that begin with # are left out."""
    goals = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return parse_errands({"errands": [{"goal": goal} for goal in goals]}, path)


def parse_errands(content: Mapping[str, object], path: Path | str = "errands") -> ErrandList:
    """Check a list; an errand without an id is named by its number.

    Raises:
        InvalidErrands: Naming every problem.
    """
    entries = content.get("errands")
    if isinstance(entries, list):
        content = {**content, "errands": [_with_id(each, i) for i, each in enumerate(entries, start=1)]}
    errands = parse_document(ErrandList, content, path, InvalidErrands)
    if problems := _problems(errands.errands):
        raise InvalidErrands(path, problems)
    return errands


def _with_id(entry: object, number: int) -> object:
    if isinstance(entry, str):
        entry = {"goal": entry}
    return {"id": f"e{number}", **entry} if isinstance(entry, dict) else entry


def _problems(errands: tuple[Errand, ...]) -> list[str]:
    ids = [errand.id for errand in errands]
    problems = [f"the id {name!r} is given twice" for name in sorted({i for i in ids if ids.count(i) > 1})]
    for errand in errands:
        if not errand.goal.strip() or is_stop_phrase(errand.goal):
            problems.append(f"{errand.id}: {errand.goal[:40]!r} is no goal")
        unknown = [name for name in errand.after if name not in ids]
        if unknown:
            problems.append(f"{errand.id}: after names {unknown[0]!r}; valid are {format_choices(ids)}")
    return problems or _cycles({errand.id: errand.after for errand in errands})


def _cycles(after: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Name the errands that wait for each other."""
    remaining = dict(after)
    while free := [
        name for name, needed in remaining.items() if not any(each in remaining for each in needed)
    ]:
        for name in free:
            del remaining[name]
    return [f"these wait for each other: {', '.join(remaining)}"] if remaining else []
