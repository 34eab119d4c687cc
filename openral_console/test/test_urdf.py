"""Shapes of robot descriptions, hostile ones included."""

import pytest

from openral_console.urdf import MAX_SHAPES, quaternion, shapes


def link(body: str, name: str = "arm") -> str:
    return f'<robot name="r"><link name="{name}">{body}</link></robot>'


def geometry(shape: str, part: str = "visual", origin: str = "") -> str:
    return f"<{part}>{origin}<geometry>{shape}</geometry></{part}>"


MESH = geometry('<mesh filename="file:///etc/passwd"/>')
BOX = '<box size="1 2 3"/>'


def test_a_mesh_is_drawn_as_the_collision_shapes_of_its_link() -> None:
    (found,) = shapes(link(MESH + geometry(BOX, "collision", '<origin xyz="0 0 1" rpy="0 0 3.14159265"/>')))
    assert (found["frame"], found["kind"], found["size"]) == ("arm", "box", [1.0, 2.0, 3.0])
    assert found["position"] == [0.0, 0.0, 1.0]
    assert found["rotation"] == pytest.approx([0.0, 0.0, 1.0, 0.0], abs=1e-5)


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ('<cylinder radius="0.5" length="2"/>', [1.0, 1.0, 2.0]),
        ('<sphere radius="0.5"/>', [1.0, 1.0, 1.0]),
    ],
)
def test_round_shapes_have_the_size_of_the_box_around_them(shape: str, size: list[float]) -> None:
    assert shapes(link(geometry(shape)))[0]["size"] == size


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no xml",
        "<robot>",
        link(geometry('<box size="1 2"/>')),
        link(geometry('<box size="1 nan 2"/>')),
        link(geometry('<box size="1 -1 2"/>')),
        link(geometry('<box size="1e9 1 2"/>')),
        link(geometry(BOX, origin='<origin xyz="inf 0 0"/>')),
        link(geometry(BOX, origin='<origin xyz="a b c"/>')),
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + link(geometry(BOX)),
    ],
)
def test_what_cannot_be_drawn_is_left_out(text: str) -> None:
    assert shapes(text) == []


def test_the_number_of_shapes_is_bounded() -> None:
    assert len(shapes(link(geometry(BOX) * (MAX_SHAPES + 5)))) == MAX_SHAPES


def test_angles_are_about_fixed_axes() -> None:
    quarter = 0.7071067811865476
    assert quaternion(0.0, 0.0, 1.5707963267948966) == pytest.approx((0.0, 0.0, quarter, quarter))
    assert quaternion(1.5707963267948966, 0.0, 1.5707963267948966) == pytest.approx((0.5, 0.5, 0.5, 0.5))
