from setuptools import find_packages, setup

NAME = "openral_data"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Images with labels, rendered from homes that are drawn from seeds: data for training detectors."
    ),
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "openral.commands": ["data = openral_data.cli:commands"],
    },
)
