from setuptools import find_packages, setup

NAME = "openral_household_benchmark"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Household task benchmark: tasks sampled from seeds in simulated homes, executed by the whole "
        "stack in one process or on the launched graph, judged by the simulator's ground truth."
    ),
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
        "openral.commands": [
            "household = openral_household_benchmark.cli:commands",
            "games = openral_household_benchmark.games_cli:commands",
        ],
    },
)
