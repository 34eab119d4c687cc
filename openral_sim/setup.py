from setuptools import find_packages, setup

NAME = "openral_sim"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "MuJoCo household simulation: homes, cameras, a mobile manipulator, motion planning and the "
        "skill server."
    ),
    license="Apache-2.0",
    url="https://openral.example",
    author="OpenRAL maintainers",
    author_email="maintainers@openral.example",
    maintainer="OpenRAL maintainers",
    maintainer_email="maintainers@openral.example",
    classifiers=["Private :: Do Not Upload"],
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml", "**/*.xml", "**/*.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={"console_scripts": ["sim = openral_sim.ros.node:main"]},
)
