from setuptools import find_packages, setup

NAME = "openral_training"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Training of a small one-stage detector on data sets in COCO format, its evaluation, and its export "
        "as an rSkill."
    ),
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "openral.commands": [
            "train = openral_training.cli:commands",
            "teach = openral_training.ros.cli:commands",
        ],
    },
)
