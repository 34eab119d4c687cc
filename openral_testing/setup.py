from setuptools import find_packages, setup

NAME = "openral_testing"

setup(
    name=NAME,
    version="0.1.0",
    description="Test support: depth images and boxes of simple bodies, rendered analytically.",
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
)
