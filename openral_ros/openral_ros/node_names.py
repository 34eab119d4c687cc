"""Names of nodes: those that the command line of a process gives, and short ones."""

from collections.abc import Iterable


def short_name(qualified: str) -> str:
    """Return a node's own name; that of its namespace for a detector, because all detectors share one."""
    namespace, _, name = qualified.rpartition("/")
    return namespace.rpartition("/")[2] if "/perception/" in namespace else name


def nodes_of(command: Iterable[str]) -> list[str]:
    """Return the qualified names of the nodes that a command line names; a container has several."""
    names: list[str] = []
    for word in command:
        if word.startswith("__node:="):
            names.append(f"/{word.removeprefix('__node:=')}")
        elif word.startswith("__ns:=") and names:
            names[-1] = f"{word.removeprefix('__ns:=').rstrip('/')}/{names[-1].rpartition('/')[2]}"
    return [name for name in names if name != "/"]
