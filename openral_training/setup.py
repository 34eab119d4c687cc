from setuptools import find_packages, setup

NAME = "openral_training"

setup(
    name=NAME,
    version="0.1.0",
    description=(
        "Data and training of detectors: rendered images with labels, training, teaching, perception over "
        "recordings, and export of recordings as LeRobot data sets; maps of homes at a desk."
    ),
    license="Apache-2.0",
    url="https://openral.example",
    author="OpenRAL maintainers",
    author_email="maintainers@openral.example",
    maintainer="OpenRAL maintainers",
    maintainer_email="maintainers@openral.example",
    classifiers=["Private :: Do Not Upload"],
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "**/*.yaml", "**/*.npz", "local/planner.json"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    zip_safe=True,
    extras_require={"test": ["pytest"]},
    entry_points={
        "openral.commands": [
            "data = openral_training.data.cli:commands",
            "detect = openral_training.ros.detect_cli:commands",
            "export = openral_training.ros.lerobot_cli:commands",
            "map = openral_training.maps.cli:commands",
            "map_tour = openral_training.ros.tour_cli:commands",
            "perceive = openral_training.perceive.ros.cli:commands",
            "scene = openral_training.homes.cli:commands",
            "teach = openral_training.ros.cli:commands",
            "train = openral_training.cli:commands",
            "train_planner = openral_training.planner.cli:commands",
            "weights = openral_training.weights.cli:commands",
        ],
        "openral.brains": ["local = openral_training.local.client:local_model"],
        "openral.scenes": ["generated = openral_training.homes.home:sample_home"],
    },
)
