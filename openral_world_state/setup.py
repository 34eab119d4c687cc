from setuptools import find_packages, setup

NAME = "openral_world_state"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Persistent 3-D scene graph: lifts detections with depth and transforms, associates them with "
        "known objects, applies negative evidence, and answers recall, place and edit queries."
    ),
    license="Apache-2.0",
    url="https://openral.example",
    author="OpenRAL maintainers",
    author_email="maintainers@openral.example",
    maintainer="OpenRAL maintainers",
    maintainer_email="maintainers@openral.example",
    classifiers=["Private :: Do Not Upload"],
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml", "**/*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": [
            "world_state = openral_world_state.ros.node:main",
            "openral-memory = openral_world_state.ros.live_cli:main",
        ],
        "openral.commands": [
            "memory = openral_world_state.ros.live_cli:commands",
        ],
    },
)
