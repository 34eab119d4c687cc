"""Addresses: loopback needs no token, others always have one."""

import socket

import pytest

from openral_console.serving import PortTaken, address_of, listen, make_access


def test_loopback_needs_no_token_and_other_addresses_get_one_each() -> None:
    assert make_access("127.0.0.1", allow_actions=False).token == ""
    tokens = {make_access("0.0.0.0", allow_actions=False).token for _ in range(5)}
    assert len(tokens) == 5
    assert min(map(len, tokens)) >= 32


def test_a_token_that_was_given_is_kept() -> None:
    assert make_access("127.0.0.1", allow_actions=False, token="mine").token == "mine"


def test_a_free_port_is_found_and_named() -> None:
    with listen("127.0.0.1", 0) as opened, listen("127.0.0.1", 0) as another:
        assert opened.getsockname()[1] != another.getsockname()[1]
        assert address_of(opened) == f"http://127.0.0.1:{opened.getsockname()[1]}/"


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        with pytest.raises(PortTaken, match="choose another"):
            listen("127.0.0.1", taken.getsockname()[1])
