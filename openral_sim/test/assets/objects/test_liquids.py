import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_sim.assets.objects.builder import ObjectBuilder
from openral_sim.assets.objects.catalogue import KINDS, build_object
from openral_sim.assets.objects.liquids import Liquid, liquids_of

WINE = np.array([0.4, 0.0, 0.1])


def a_scene() -> tuple[mujoco.MjModel, Liquid, Liquid]:
    """A model with a full bottle and an empty glass, and what is in them."""
    spec = mujoco.MjSpec()
    for kind in ("wine_bottle", "wine_glass"):
        body = spec.worldbody.add_body(name=f"object/{kind}")
        build_object(ObjectBuilder(spec, body, kind, KINDS[kind]))
    model = spec.compile()
    liquids = liquids_of(model)
    return model, *(liquids[model.body(f"object/{kind}").id] for kind in ("wine_bottle", "wine_glass"))


def seen_height(model: mujoco.MjModel, body: str) -> float:
    """Height of all discs of a vessel that are seen in [m]."""
    discs = [g for g in range(model.ngeom) if model.geom(g).name.startswith(f"{body}/liquid_")]
    return float(sum(2 * model.geom_size[g, 1] for g in discs if model.geom_rgba[g, 3] > 0))


def test_a_bottle_begins_full_and_a_glass_empty() -> None:
    model, bottle, glass = a_scene()
    assert (bottle.level, glass.level) == (1.0, 0.0)
    assert bottle.capacity > 3 * glass.capacity > 0.1
    assert seen_height(model, "object/wine_bottle") > 0.1
    assert seen_height(model, "object/wine_glass") == 0.0


@given(st.lists(st.floats(-0.2, 0.2), max_size=8))
def test_nothing_is_made_or_lost_and_no_vessel_overflows(amounts: list[float]) -> None:
    model, _, glass = a_scene()
    inside = 0.0
    for amount in amounts:
        inside += glass.add(amount, WINE)
        assert 0.0 <= glass.level <= 1.0
    assert glass.level * glass.capacity == pytest.approx(inside, abs=1e-9)
    assert (seen_height(model, "object/wine_glass") > 0.0) == (glass.level > 0.0)


def test_what_is_seen_rises_with_the_level_and_takes_its_colour() -> None:
    model, _, glass = a_scene()
    heights = []
    for level in (0.1, 0.4, 0.8, 1.0):
        glass.add((level - glass.level) * glass.capacity, WINE)
        heights.append(seen_height(model, "object/wine_glass"))
    assert heights == sorted(heights)
    assert np.allclose(glass.colour, WINE)
