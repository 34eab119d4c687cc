from setuptools import find_packages, setup

NAME = "openral_perceive"

setup(
    name=NAME,
    version="0.1.0",
    description="Perception and memory over recordings, without a robot, compared with what was remembered.",
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
        "openral.commands": ["perceive = openral_perceive.ros.cli:commands"],
    },
)
