from setuptools import find_packages, setup

NAME = "openral_bringup"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Bring-up of the whole graph: deploy_sim.py, deploy_robot.py, launch files, the lifecycle manager "
        "bringup, process supervision and the openral command."
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
        (f"share/{NAME}/launch", ["launch/sim_e2e.launch.py", "launch/robot.launch.py"]),
        (
            f"share/{NAME}/dds",
            [f"dds/{name}.xml" for name in ("discovery", "large_images", "large_images_local")],
        ),
        (f"share/{NAME}/rviz", ["rviz/openral.rviz"]),
        (f"share/{NAME}/foxglove", ["foxglove/openral_live.json", "foxglove/openral_recording.json"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "console_scripts": [
            "bringup = openral_bringup.lifecycle_manager.node:main",
            "deploy_sim = openral_bringup.deploy.main:main",
            "deploy_robot = openral_bringup.deploy.main:robot_main",
            "openral = openral_bringup.cli.main:main",
        ],
    },
)
