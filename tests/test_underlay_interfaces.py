"""The underlay's interfaces are the same types on the wire as those of the real packages."""

from pathlib import Path

import pytest

UNDERLAY = Path(__file__).resolve().parents[1] / "underlay"

HEADER = ("std_msgs/Header", "header")
FIELDS = {
    "tf2_msgs/TFMessage": [("geometry_msgs/TransformStamped[]", "transforms")],
    "vision_msgs/BoundingBox2D": [
        ("vision_msgs/Pose2D", "center"),
        ("float64", "size_x"),
        ("float64", "size_y"),
    ],
    "vision_msgs/BoundingBox2DArray": [HEADER, ("vision_msgs/BoundingBox2D[]", "boxes")],
    "vision_msgs/BoundingBox3D": [("geometry_msgs/Pose", "center"), ("geometry_msgs/Vector3", "size")],
    "vision_msgs/BoundingBox3DArray": [HEADER, ("vision_msgs/BoundingBox3D[]", "boxes")],
    "vision_msgs/Classification": [HEADER, ("vision_msgs/ObjectHypothesis[]", "results")],
    "vision_msgs/Detection2D": [
        HEADER,
        ("vision_msgs/ObjectHypothesisWithPose[]", "results"),
        ("vision_msgs/BoundingBox2D", "bbox"),
        ("string", "id"),
    ],
    "vision_msgs/Detection2DArray": [HEADER, ("vision_msgs/Detection2D[]", "detections")],
    "vision_msgs/Detection3D": [
        HEADER,
        ("vision_msgs/ObjectHypothesisWithPose[]", "results"),
        ("vision_msgs/BoundingBox3D", "bbox"),
        ("string", "id"),
    ],
    "vision_msgs/Detection3DArray": [HEADER, ("vision_msgs/Detection3D[]", "detections")],
    "vision_msgs/LabelInfo": [HEADER, ("vision_msgs/VisionClass[]", "class_map"), ("float32", "threshold")],
    "vision_msgs/ObjectHypothesis": [("string", "class_id"), ("float64", "score")],
    "vision_msgs/ObjectHypothesisWithPose": [
        ("vision_msgs/ObjectHypothesis", "hypothesis"),
        ("geometry_msgs/PoseWithCovariance", "pose"),
    ],
    "vision_msgs/Point2D": [("float64", "x"), ("float64", "y")],
    "vision_msgs/Pose2D": [("vision_msgs/Point2D", "position"), ("float64", "theta")],
    "vision_msgs/VisionClass": [("uint16", "class_id"), ("string", "class_name")],
    "vision_msgs/VisionInfo": [
        HEADER,
        ("string", "method"),
        ("string", "database_location"),
        ("int32", "database_version"),
    ],
}
PRIMITIVES = {"string", "float32", "float64", "int32", "uint16"}


def definition_file(interface: str) -> Path:
    package, name = interface.split("/")
    return UNDERLAY / package / "msg" / f"{name}.msg"


def fields_of(interface: str) -> list[tuple[str, str]]:
    """Types, with their package, and names of a definition in their order."""
    lines = (line.split("#")[0].split() for line in definition_file(interface).read_text().splitlines())
    return [(full_type(interface, words[0]), words[1]) for words in lines if words]


def full_type(interface: str, written: str) -> str:
    local = "/" not in written and written.removesuffix("[]") not in PRIMITIVES
    return f"{interface.split('/', maxsplit=1)[0]}/{written}" if local else written


@pytest.mark.parametrize("interface", FIELDS)
def test_fields_keep_their_names_types_and_order(interface: str) -> None:
    assert fields_of(interface) == FIELDS[interface]


def test_no_interface_is_unchecked() -> None:
    defined = {f"{file.parents[1].name}/{file.stem}" for file in UNDERLAY.glob("*/msg/*.msg")}
    assert defined == set(FIELDS)


PACKAGES = {file.parent.name: file.parent for file in UNDERLAY.glob("**/package.xml")}


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_every_definition_is_generated(package: Path) -> None:
    declared = (package / "CMakeLists.txt").read_text()
    folders = [package / suffix for suffix in ("msg", "srv", "action")]
    defined = [file for folder in folders if folder.is_dir() for file in folder.iterdir()]
    assert defined
    assert all(f'"{file.parent.name}/{file.name}"' in declared for file in defined)


@pytest.mark.parametrize("interface", FIELDS)
def test_the_package_in_use_has_the_same_fields(interface: str) -> None:
    package, name = interface.split("/")
    messages = pytest.importorskip(f"{package}.msg")
    generated = getattr(messages, name).get_fields_and_field_types()
    assert list(generated) == [field for _, field in FIELDS[interface]]
    assert [as_written(kind) for kind in generated.values()] == [kind for kind, _ in FIELDS[interface]]


def as_written(generated: str) -> str:
    """A generated description, in the words of a definition file."""
    names = {"double": "float64", "float": "float32"}
    inner = generated.removeprefix("sequence<").removesuffix(">")
    return names.get(inner, inner) + ("[]" if inner != generated else "")
