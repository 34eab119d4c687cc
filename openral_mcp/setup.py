from setuptools import find_packages, setup

NAME = "openral_mcp"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Model Context Protocol server: makes a running robot readable for other agents, and its missions "
        "startable where that is permitted."
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
        "openral.commands": ["mcp = openral_mcp.cli:commands"],
    },
)
