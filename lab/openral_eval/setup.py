from setuptools import find_packages, setup

NAME = "openral_eval"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Evaluation of decision models: suites of fast tasks with the real mission core, repeated trials, "
        "pass^k, tokens, price, latency and a report."
    ),
    license="Apache-2.0",
    url="https://openral.example",
    author="OpenRAL maintainers",
    author_email="maintainers@openral.example",
    maintainer="OpenRAL maintainers",
    maintainer_email="maintainers@openral.example",
    classifiers=["Private :: Do Not Upload"],
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "openral.commands": [
            "eval = openral_eval.cli:commands",
            "model_server = openral_eval.server_cli:commands",
        ],
    },
)
