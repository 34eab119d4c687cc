"""Suites of entrances that are no ROS interfaces of a node: files, decisions, endpoints, front doors."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from fuzzing.documents import FILES, damaged
from fuzzing.rounds import Door

FILE_SHARE = 3.0
"""A file is read quickly: more cases for it than for a message."""


@contextmanager
def file_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per kind of file."""
    doors = []
    for number, entrance in enumerate(FILES.values()):
        place = folder / str(number)
        valid = entrance.prepare(place)
        deliver = partial(entrance.deliver, folder=place)
        doors.append(Door(str(entrance), partial(damaged, valid), deliver, FILE_SHARE))
    yield tuple(doors)


@contextmanager
def tool_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per tool of the decision model."""
    from fuzzing.decisions import tool_doors

    yield tuple(tool_doors())


@contextmanager
def endpoint_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per vendor of decision models."""
    from fuzzing.decisions import endpoint_doors

    with endpoint_doors() as doors:
        yield doors


@contextmanager
def mcp_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per tool and resource of the MCP server."""
    from fuzzing.front_doors import mcp_suite as suite

    with suite(folder) as doors:
        yield doors


@contextmanager
def console_suite(folder: Path) -> Iterator[tuple[Door, ...]]:
    """Yield one door per route of the console."""
    from fuzzing.front_doors import console_suite as suite

    with suite(folder) as doors:
        yield doors


SUITES: Mapping[str, Callable[[Path], AbstractContextManager[tuple[Door, ...]]]] = {
    "files": file_suite,
    "tools": tool_suite,
    "endpoints": endpoint_suite,
    "mcp": mcp_suite,
    "console": console_suite,
}
