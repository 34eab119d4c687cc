"""Counters of the source tree's shape."""

import subprocess
from pathlib import Path

import pytest
from code_shape import excesses, folder_cycles, measure, number, read_tree, unassigned_packages

CORE = "openral_core/openral_core"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a repository with two packages of the default build and one of the laboratory."""
    files = {
        "openral_core/package.xml": "<name>openral_core</name>",
        "openral_core/setup.py": "setup()\n" * 50,
        f"{CORE}/__init__.py": "",
        f"{CORE}/errors.py": "from openral_core.text.words import WORDS\nclass Verdict: ...\n",
        f"{CORE}/text/__init__.py": "",
        f"{CORE}/text/words.py": "from openral_core.files import read\nWORDS = read\n",
        f"{CORE}/files.py": "def read(told):\n    found = told\n    seen_object = found\n    return 1\n",
        "openral_core/test/test_files.py": "found = 1\n",
        "openral_sim/package.xml": "<name>openral_sim</name>",
        "openral_sim/openral_sim/__init__.py": "",
        "openral_sim/openral_sim/door.py": "class Verdict:\n    def _a(self): ...\n    def b(self): ...\n",
        "lab/openral_eval/package.xml": "<name>openral_eval</name>",
        "lab/openral_eval/openral_eval/__init__.py": "",
        "lab/openral_eval/openral_eval/cli.py": "x = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=test", "-c", "user.email=test@test.invalid"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *command], check=True)
    return tmp_path


def test_counts_packages_and_lines_per_tier_without_tests(tree: Path) -> None:
    table = measure(read_tree(tree))
    assert table["packages, default build"] == 2
    assert table["packages, lab"] == 1
    assert table["lines, default build"] == 11
    assert table["lines, without sim and mapping"] == 8
    assert table["lines, lab"] == 1


def test_folders_that_import_each_other_are_one_cycle(tree: Path) -> None:
    assert folder_cycles(read_tree(tree).modules) == ["openral_core openral_core.text"]


def test_bare_participles_and_class_names_are_listed_with_their_places(tree: Path) -> None:
    table = measure(read_tree(tree))
    assert table["bare participles as names"] == [f"{CORE}/files.py:1 told", f"{CORE}/files.py:2 found"]
    assert table["class names with several meanings"] == [
        f"Verdict: {CORE}/errors.py, openral_sim/openral_sim/door.py"
    ]


def test_an_earlier_revision_is_measured_in_the_same_scope(tree: Path) -> None:
    (tree / CORE / "more.py").write_text("a = 1\n" * 10)
    assert measure(read_tree(tree, "HEAD"))["lines, default build"] == 11
    assert measure(read_tree(tree))["lines, default build"] == 21


def test_a_row_above_its_ceiling_and_a_ceiling_without_row_are_named(tree: Path) -> None:
    table = measure(read_tree(tree))
    assert not excesses(table, {"folder cycles": 1, "lines, lab": 1})
    assert excesses(table, {"folder cycles": 0}) == ["folder cycles: 1, at most 0"]
    assert excesses(table, {"hats": 3}) == ["hats: no such row"]


def test_a_package_that_no_tier_names_is_listed(tree: Path) -> None:
    assert unassigned_packages(tree) == []
    (tree / "openral_new" / "openral_new").mkdir(parents=True)
    (tree / "openral_new" / "package.xml").touch()
    (tree / "openral_new" / "openral_new" / "__init__.py").touch()
    assert unassigned_packages(tree) == ["openral_new"]


def test_the_figure_of_a_list_is_its_length() -> None:
    assert number(["a", "b"]) == 2.0
    assert number(0.47) == pytest.approx(0.47)
