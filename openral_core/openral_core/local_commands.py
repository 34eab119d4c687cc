"""Commands of the operator to the skill server of a robot on this machine, over a local socket.

A process that lives for one command is done before DDS has discovered its peers; a running skill server
answers here within milliseconds. The command line imports this module first: standard library alone.
"""

import json
import os
import socket
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

STOP_TOPIC = "openral/stop"
"""The socket of a robot is named for its topic of the emergency stop, which its namespace is part of."""
MAX_ADDRESS = 107
"""Longest name of an abstract socket [bytes] (Linux, unix(7))."""
MAX_LINE = 64_000
"""Longest request and answer [bytes]: a prompt has 4,000 characters, of 12 bytes each in JSON."""
SILENCE = 1.0
"""Longest wait for a skill server that has accepted a command [s]: then DDS is tried as well."""
Reply = Mapping[str, Any]
_CREDENTIALS = struct.Struct("3i")


def socket_address(domain: int, stop_topic: str) -> bytes | None:
    """Return the name of a robot's socket; None if a long namespace leaves no room for it.

    Abstract sockets live in the network namespace, like DDS, and end with their process.
    """
    address = f"\0openral/{domain}/commands/{stop_topic.strip('/')}".encode()
    return address if len(address) <= MAX_ADDRESS else None


def is_trusted(connection: socket.socket) -> bool:
    """Return whether the other side runs as this user or as root."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1] in (os.geteuid(), 0)


def read_line(connection: socket.socket, seconds: float) -> bytes:
    """Return what the other side sends up to the end of its line, within ``seconds`` [s].

    Raises:
        OSError: If it sends none, or too long a line.
    """
    content, end = b"", time.monotonic() + seconds
    while not content.endswith(b"\n"):
        connection.settimeout(max(end - time.monotonic(), 0.001))
        part = connection.recv(MAX_LINE)
        content += part
        if not part or len(content) > MAX_LINE:
            raise OSError(f"no line of at most {MAX_LINE} bytes")
    return content


def send_command(namespace: str, command: Reply, seconds: float = SILENCE) -> Reply | None:
    """Send a command to the skill server of a namespace, in the domain of the environment.

    Returns:
        Its answer, None if this machine has no such skill server, or it belongs to another user or is silent.
    """
    domain = os.environ.get("ROS_DOMAIN_ID", "") or "0"
    topic = f"{namespace.strip('/')}/{STOP_TOPIC}"
    address = socket_address(int(domain), topic) if domain.isdecimal() else None
    if address is None:
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, suppress(OSError, ValueError):
        connection.settimeout(seconds)
        connection.connect(address)
        if is_trusted(connection):
            connection.sendall(json.dumps(dict(command)).encode() + b"\n")
            answer = json.loads(read_line(connection, seconds))
            return answer if isinstance(answer, dict) else None
    return None


def stop(namespace: str, reason: str, seconds: float) -> str:
    """Stop the robot; return the reason that its skill server has latched, "" if none confirmed it."""
    answer = send_command(namespace, {"command": "stop", "reason": reason}, min(seconds, SILENCE))
    return "" if answer is None else str(answer.get("message", ""))


def release(namespace: str, seconds: float) -> tuple[bool, str] | None:
    """Release the robot; return whether that was done and the skill server's words, None without any."""
    answer = send_command(namespace, {"command": "release"}, min(seconds, SILENCE))
    return None if answer is None else (answer.get("success") is True, str(answer.get("message", "")))


def cancel(namespace: str, seconds: float) -> str:
    """End the mission and the motion; return the line of the reasoner's receipt, "" if none confirms it."""
    answer = send_command(namespace, {"command": "prompt", "text": "stop"}, min(seconds, SILENCE))
    if answer is None or answer.get("outcome") != "stopped":
        return ""
    return receipt_line("stopped", str(answer.get("mission", "")), str(answer.get("message", "")))


def receipt_line(outcome: str, mission_id: str, message: str) -> str:
    """Return a receipt as one line for a terminal."""
    summary = f"{outcome} {mission_id}".rstrip()
    return f"{summary}: {message}" if message else summary
