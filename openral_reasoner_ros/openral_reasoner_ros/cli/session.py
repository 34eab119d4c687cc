"""Node of one invocation of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_ros.temporary_node import TemporaryNode


Namespace = Annotated[str, typer.Option(help="namespace of the robot")]


class NoResponse(OpenRALError):
    """No message of the graph arrived in time."""

    exit_code = 4

    def __init__(self, what: str, seconds: float, node: str = "reasoner") -> None:
        super().__init__(
            f"{what} within {seconds:g} s: "
            f"check that the {node} is active in this ROS_DOMAIN_ID and namespace"
        )


class CliSession:
    """Node that is spun only while a condition is awaited."""

    def __init__(self, temporary: TemporaryNode) -> None:
        self.node, self.scope, self.spin = temporary.node, temporary.scope, temporary.spin
        self._spin_until = temporary.spin_until

    def wait(
        self, condition: Callable[[], object], seconds: float, problem: str, node: str = "reasoner"
    ) -> None:
        """Spin until the condition holds.

        Raises:
            NoResponse: Beginning with ``problem``, if it does not hold within ``seconds``.
        """
        if not self._spin_until(condition, seconds):
            raise NoResponse(problem, seconds, node)


@contextmanager
def session(namespace: str) -> Iterator[CliSession]:
    """Provide a node for the duration of the block."""
    from openral_ros.temporary_node import TemporaryNode

    with TemporaryNode("openral_cli", namespace) as temporary:
        yield CliSession(temporary)
