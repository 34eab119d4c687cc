"""Every answer to the newcomer's questions names a module and a name that it defines."""

import ast
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
QUESTIONS = yaml.safe_load((ROOT / "tests" / "where_is_it_decided.yaml").read_text())


def defined(path: Path) -> Iterator[str]:
    """Yield the names that a module binds at its top level."""
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name


def test_there_are_thirty_questions_and_each_answer_exists() -> None:
    missing = []
    for entry in QUESTIONS:
        for answer in entry["answer"]:
            path, _, name = answer.partition("::")
            if not (ROOT / path).is_file() or name not in defined(ROOT / path):
                missing.append(answer)
    assert len({entry["question"] for entry in QUESTIONS}) == 30
    assert missing == []
