"""Console of a deployment: process that `deploy_sim` starts beside the graph."""

import os
import sys
from contextlib import suppress

from pydantic import Field

from openral_console.checks import standard_checks
from openral_console.ros.robot import LiveSource
from openral_console.server import PORT, listen, make_access, make_server
from openral_ros.parameters import Parameters, declare
from openral_ros.run_node import check_command_line
from openral_ros.shutdown import Shutdown, end_process

NICENESS = 5
"""Added to the process's niceness: watching gives way to the robot."""


class ConsoleParameters(Parameters):
    """ROS parameters of the console of a deployment."""

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(PORT, ge=0, le=65535, description="port to listen on; 0 = any")
    allow_actions: bool = Field(
        default=False, description="permit goals, answers, edits of memory, transitions"
    )


def main() -> None:
    """Serve the console until SIGINT or SIGTERM."""
    check_command_line(sys.modules[__name__])
    os.nice(NICENESS)
    source = LiveSource(arguments=sys.argv)
    try:
        parameters = source.declare(lambda node: declare(node, ConsoleParameters))
        access = make_access(parameters.host, parameters.allow_actions)
        with listen(parameters.host, parameters.port) as listener, suppress(KeyboardInterrupt):
            # The web server raises an interrupt again after a clean end.
            make_server(source, access, checks=standard_checks()).run(sockets=[listener])
    finally:
        Shutdown(lambda: None).begin()
        source.close()
    end_process(0)
