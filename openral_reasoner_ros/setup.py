from setuptools import find_packages, setup

NAME = "openral_reasoner_ros"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "The reasoner lifecycle node: turns messages into events for the mission core and its commands "
        "into service calls, action goals and messages."
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
            "reasoner = openral_reasoner_ros.node:main",
        ],
        "openral.commands": [
            "missions = openral_reasoner_ros.cli.main:app",
            "brain = openral_reasoner_ros.cli.brain:commands",
        ],
    },
)
