"""Tests of the rewriting of the wheels' CMake targets."""

from pathlib import Path

from workspace.cmake_paths import relocate, relocate_wheels

WHEEL_LINE = (
    'INTERFACE_INCLUDE_DIRECTORIES "/opt/python/cp311-cp311/include/python3.11;'
    '/opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include"'
)
INCLUDE = Path("/usr/include/python3.11")


def test_python_and_numpy_are_named_where_they_are_here() -> None:
    expected = (
        'INTERFACE_INCLUDE_DIRECTORIES "/usr/include/python3.11;'
        '/work tree/.venv/lib/python3.11/site-packages/numpy/_core/include"'
    )
    assert relocate(WHEEL_LINE, INCLUDE, Path("/work tree/.venv")) == expected


def test_a_free_threaded_builders_path_is_recognised() -> None:
    assert relocate('"/opt/python/cp312-cp312t/include/python3.12"', INCLUDE, Path("/v")) == f'"{INCLUDE}"'


def test_rewriting_twice_changes_nothing_more(tmp_path: Path) -> None:
    export = tmp_path / "share" / "std_msgs" / "cmake" / "export.cmake"
    export.parent.mkdir(parents=True)
    export.write_text(WHEEL_LINE)
    assert relocate_wheels(INCLUDE, tmp_path) == 1
    once = export.read_text()
    assert relocate_wheels(INCLUDE, tmp_path) == 0
    assert export.read_text() == once
