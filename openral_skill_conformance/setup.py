from setuptools import find_packages, setup

NAME = "openral_skill_conformance"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Conformance tests for skill servers: a pytest plugin that sends a running server of ExecuteRskill "
        "valid, malformed, concurrent and cancelled goals."
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
        "pytest11": ["openral_skills = openral_skill_conformance.options"],
    },
)
