from setuptools import find_packages, setup

NAME = "openral_testing"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Test support: conformance tests of detectors and skill servers, a played robot, a symbolic home, a "
        "model endpoint, exact depth images; reading of recordings."
    ),
    license="Apache-2.0",
    url="https://openral.example",
    author="OpenRAL maintainers",
    author_email="maintainers@openral.example",
    maintainer="OpenRAL maintainers",
    maintainer_email="maintainers@openral.example",
    classifiers=["Private :: Do Not Upload"],
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml", "**/*.png", "**/*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": ["foreign_robot = openral_testing.foreign_robot.ros.node:main"],
        "openral.commands": [
            "bench = openral_testing.reasoner.cli:commands",
            "doctor = openral_testing.doctor:commands",
            "recordings = openral_testing.recordings.ros.cli:commands",
            "robot = openral_testing.robot_check.command:commands",
            "security = openral_testing.security_policy:commands",
            "weights = openral_testing.weights.cli:app",
            "weights_proof = openral_testing.weights_proof.command:commands",
        ],
        "openral.converters": ["ncnn = openral_testing.weights.ncnn:convert"],
        "openral.recordings": ["mcap = openral_testing.recordings.ros.source:RecordingSource"],
        "pytest11": [
            "openral_detectors = openral_testing.detectors.options",
            "openral_skills = openral_testing.skills.options",
        ],
    },
)
