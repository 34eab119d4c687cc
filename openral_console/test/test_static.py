"""Modules of the page import each other without a circle."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

STATIC = Path(__file__).parents[1] / "openral_console" / "static"
IMPORT = re.compile(r'from "\./([a-z_0-9]+\.js)"')


def test_the_modules_of_the_page_import_each_other_without_a_circle() -> None:
    imports = {file.name: set(IMPORT.findall(file.read_text())) for file in STATIC.glob("*.js")}
    order = tuple(TopologicalSorter(imports).static_order())
    assert set(order) == {*imports}
    assert {"state.js", "home.js"} <= imports["main.js"]
