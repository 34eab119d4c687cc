"""The wire contract: interfaces.json holds every field of openral_msgs, in order, with its type.

An intended change is made there too, with the contract version bumped and a line in CHANGELOG.rst.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openral_msgs")

FIXED = json.loads((Path(__file__).parent / "interfaces.json").read_text())
PARTS = {"msg": ("",), "srv": ("Request", "Response"), "action": ("Goal", "Result", "Feedback")}


def fields_of(name: str) -> dict[str, str]:
    kind, interface, *part = name.split(".")
    message: Any = getattr(import_module(f"openral_msgs.{kind}"), interface)
    return dict((getattr(message, part[0]) if part else message).get_fields_and_field_types())


def names_built_here() -> set[str]:
    found = set()
    for kind, parts in PARTS.items():
        module = import_module(f"openral_msgs.{kind}")
        interfaces = [name for name in vars(module) if name[0].isupper() and "_" not in name]
        found |= {f"{kind}.{name}" + (f".{part}" if part else "") for name in interfaces for part in parts}
    return found


def test_no_interface_is_missing_or_new() -> None:
    assert names_built_here() == set(FIXED)


@pytest.mark.parametrize("name", sorted(FIXED))
def test_fields_have_the_names_types_and_order_of_the_contract(name: str) -> None:
    assert list(fields_of(name).items()) == list(FIXED[name].items())
