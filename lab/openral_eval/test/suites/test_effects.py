"""Effects of missions on a home."""

import pytest

from openral_eval.suites.effects import compare, state_of
from openral_eval.suites.homes import draw_home


def test_effects_are_what_changed() -> None:
    home = draw_home(0)
    before = state_of(home)
    home.places["fridge_1"].is_open = True
    home.delivered.append(("mug_1", "ana"))
    home.filled["glass_1"] = "wine_1"
    assert state_of(home) - before == {"open fridge_1", "delivered mug_1 ana", "filled glass_1"}


@pytest.mark.parametrize(
    ("after", "wanted", "missing", "unasked"),
    [
        ({"at a x"}, ["at a x"], (), ()),
        ({"at a x"}, ["at a y | at a x"], (), ()),
        ({"at a x"}, ["at a *"], (), ()),
        (set(), ["at a x"], ("at a x",), ()),
        (set(), ["at a x?"], (), ()),
        ({"open d"}, [], (), ("open d",)),
        ({"at a x", "open d"}, ["at a x"], (), ("open d",)),
    ],
)
def test_wanted_effects_are_compared(
    after: set[str], wanted: list[str], missing: tuple[str, ...], unasked: tuple[str, ...]
) -> None:
    found = compare(set(), after, wanted)
    assert (found.missing, found.unasked) == (missing, unasked)


def test_the_home_of_a_seed_is_always_the_same() -> None:
    assert state_of(draw_home(3)) == state_of(draw_home(3))
    assert len({state_of(draw_home(seed)) for seed in range(20)}) > 5
