from setuptools import find_packages, setup

NAME = "openral_reasoner_testing"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Test doubles for the mission core: a symbolic home, simulated peers and time, a fault generator"
        " and the search benchmark."
    ),
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "openral.commands": ["bench = openral_reasoner_testing.cli:commands"],
    },
)
