# ROS 2 Jazzy from apt (Ubuntu 24.04, Python 3.12) with this stack built on it; docs/ros-from-apt.md tells how to run it.
ARG ROS_IMAGE=ros:jazzy-ros-base
FROM ${ROS_IMAGE}

ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        build-essential cmake python3-dev python3-venv libegl1 libgl1-mesa-dri python3-rosdep \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/openral
COPY . .

# What apt has comes from apt; wheels of .venv stand in for Python packages that Ubuntu has too old or not at all.
RUN apt-get update \
    && { [ -d /etc/ros/rosdep/sources.list.d ] || rosdep init; } \
    && echo "yaml file:///opt/openral/requirements/rosdep.yaml" > /etc/ros/rosdep/sources.list.d/10-openral.list \
    && rosdep update --rosdistro jazzy \
    && rosdep install --from-paths . --ignore-src --rosdistro jazzy --default-yes \
        --skip-keys "$(sed -n 's/^\(.*-pip\):$/\1/p' requirements/rosdep.yaml | xargs)" \
    && rm -rf /var/lib/apt/lists/* \
    && make robot mcp PYTHON=/usr/bin/python3.12

# `docker run --user` names a user without a home.
ENV HOME=/tmp
ENTRYPOINT ["/opt/openral/tools/env"]
CMD ["openral", "doctor"]
