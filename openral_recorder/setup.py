from setuptools import find_packages, setup

NAME = "openral_recorder"

setup(
    name=NAME,
    version="0.1.0",
    description="Recorder of any robot's topics as an MCAP file that survives a kill.",
    license="Apache-2.0",
    url="https://openral.example",
    author="OpenRAL maintainers",
    author_email="maintainers@openral.example",
    maintainer="OpenRAL maintainers",
    maintainer_email="maintainers@openral.example",
    classifiers=["Private :: Do Not Upload"],
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": [
            "recorder = openral_recorder.ros.node:main",
            "foxglove = openral_recorder.ros.foxglove_node:main",
        ],
        "openral.commands": ["record = openral_recorder.ros.cli:commands"],
    },
)
