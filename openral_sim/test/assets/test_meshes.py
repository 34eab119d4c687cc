import numpy as np
import pytest

from openral_sim.assets.meshes import Mesh, gabled_carton, lathe, loaf, printed_box, tube

ARC = np.stack([np.cos(np.linspace(-1, 1, 9)), np.zeros(9), np.sin(np.linspace(-1, 1, 9))], -1)
MESHES = {
    "lathe": lathe([(0, 0), (0.1, 0), (0.1, 0.2), (0, 0.2)]),
    "loaf": loaf(0.4, 0.06, 0.05),
    "box": printed_box((0.1, 0.2, 0.3)),
    "carton": gabled_carton(0.07, 0.2),
    "tube": tube(ARC, 0.05),
}


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("name", MESHES)
def test_faces_look_outward(name: str) -> None:
    assert volume(MESHES[name]) > 0


@pytest.mark.parametrize("name", MESHES)
def test_indices_and_texture_coordinates_fit_the_vertices(name: str) -> None:
    mesh = MESHES[name]
    assert mesh.faces.min() >= 0
    assert mesh.faces.max() < len(mesh.vertices)
    assert mesh.uv.shape == (len(mesh.vertices), 2)
    assert 0 <= mesh.uv.min() <= mesh.uv.max() <= 1 + 1e-12


def test_a_lathed_cylinder_has_nearly_the_volume_of_one() -> None:
    assert volume(MESHES["lathe"]) == pytest.approx(np.pi * 0.1**2 * 0.2, rel=0.03)


def test_a_box_has_its_volume() -> None:
    assert volume(MESHES["box"]) == pytest.approx(0.1 * 0.2 * 0.3)


@pytest.mark.parametrize(
    ("mesh", "size"),
    [("loaf", (0.06, 0.4, 0.05)), ("box", (0.1, 0.2, 0.3)), ("carton", (0.07, 0.07, 0.2))],
)
def test_centred_meshes_have_their_size(mesh: str, size: tuple[float, float, float]) -> None:
    vertices = MESHES[mesh].vertices
    assert np.allclose(np.ptp(vertices, axis=0), size, atol=0.004)
    assert np.allclose(vertices.min(0) + vertices.max(0), 0, atol=0.004)
