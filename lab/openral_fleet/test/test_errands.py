"""Lists of errands are read, and refused with every problem."""

from pathlib import Path

import pytest

from openral_core.skills import Verb
from openral_fleet.errands import MAX_ERRANDS, InvalidErrands, parse_errands, read_errands


def test_lines_of_text_become_errands_in_order(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("# for today\nfind the mug\n\n  bring me the bowl \n")
    assert [(each.id, each.goal) for each in read_errands(file).errands] == [
        ("e1", "find the mug"),
        ("e2", "bring me the bowl"),
    ]


def test_yaml_has_rules_and_plain_goals(tmp_path: Path) -> None:
    file = tmp_path / "list.yaml"
    file.write_text(
        "errands:\n- find the mug\n- {id: pour, goal: pour water into the glass, after: [e1], priority: 2,"
        " requires: [POUR], deadline: 60}\n"
    )
    first, second = read_errands(file).errands
    assert (first.id, second.after, second.requires) == ("e1", ("e1",), (Verb.POUR,))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"errands": []}, "at least 1 item"),
        ({"errands": ["find it"] * (MAX_ERRANDS + 1)}, "at most 200 items"),
        ({"errands": [{"goal": "find it", "prio": 2}]}, "unknown key 'errands.0.prio'"),
        ({"errands": [{"goal": "find it", "requires": ["FLY"]}]}, "FLY"),
        ({"errands": ["stop"]}, "'stop' is no goal"),
        ({"errands": ["  "]}, "is no goal"),
        ({"errands": [{"goal": "go", "id": "a"}, {"goal": "go", "id": "a"}]}, "'a' is given twice"),
        ({"errands": [{"goal": "go", "after": ["x"]}]}, "valid are 'e1'"),
        (
            {"errands": [{"goal": "go", "after": ["e2"]}, {"goal": "go", "after": ["e1"]}]},
            "these wait for each other: e1, e2",
        ),
        ({"errand": ["find it"]}, "unknown key 'errand'"),
        ({"errands": [3]}, "found 3"),
    ],
)
def test_a_wrong_list_is_refused_with_its_problem(content: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidErrands) as error:
        parse_errands(content)
    assert problem in str(error.value)


@pytest.mark.parametrize("name", ["list.yaml", "list.txt"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidErrands, match=name):
        read_errands(tmp_path / name)
