"""Libraries that wait for their first use."""

import subprocess
import sys

import pytest

from openral_core.lazy_modules import lazy_module


def test_a_library_is_imported_by_its_first_use() -> None:
    code = (
        "import sys; from openral_core.lazy_modules import lazy_module; colours = lazy_module('colorsys');"
        "print('colorsys' in sys.modules, colours.rgb_to_hsv(1.0, 0.0, 0.0), 'colorsys' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split(maxsplit=1) == ["False", "(0.0, 1.0, 1.0) True\n"]


def test_a_missing_library_is_reported_by_its_name() -> None:
    with pytest.raises(ImportError, match="no_such_library"):
        lazy_module("no_such_library").anything  # noqa: B018 - the attribute is what imports it


def test_an_attribute_that_a_library_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_function"):
        lazy_module("colorsys").no_such_function  # noqa: B018 - see above
