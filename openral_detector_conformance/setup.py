from setuptools import find_packages, setup

NAME = "openral_detector_conformance"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Conformance tests for detectors: a pytest plugin that runs any detector rSkill, its worker and "
        "its node through valid, malformed and hostile input."
    ),
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml", "**/*.png"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "pytest11": ["openral_detectors = openral_detector_conformance.options"],
    },
)
