"""Docstrings open with an imperative or a noun phrase, and name the subject."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
QUESTION = re.compile(r"(What|Where|Whether|Which|Who|Whose|Whoever|How|Why|Is|Are|When)\b")
IMPERSONAL = re.compile(r"\b(nobody|somebody|whoever|anybody)\b", re.IGNORECASE)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def findings(source: str) -> list[str]:
    """Return the offending docstrings of one file."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, DOCUMENTED))
    texts = [text for node in nodes if (text := ast.get_docstring(node))]
    return [text for text in texts if QUESTION.match(text) or IMPERSONAL.search(text)]


def test_docstrings_state_what_they_describe() -> None:
    listed = subprocess.check_output(["git", "ls-files", "*.py"], cwd=ROOT, text=True).split()
    found = {name: texts for name in listed if (texts := findings((ROOT / name).read_text(encoding="utf-8")))}
    assert not found


@pytest.mark.parametrize(
    ("docstring", "count"), [("Whether it moves.", 1), ("Test if nobody moves.", 1), ("Test if it moves.", 0)]
)
def test_an_offending_docstring_is_found(docstring: str, count: int) -> None:
    assert len(findings(f'"""{docstring}"""')) == count
