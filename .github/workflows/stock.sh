#!/usr/bin/env bash
# Steps of the job on stock Ubuntu 24.04 with ROS 2 Jazzy from apt: stock.sh dependencies|build|test|mission.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

MISSION_TIMEOUT=900 # [s]
NO_RECEIPT=4      # exit code of `openral prompt` without an answer

dependencies() {
    apt-get update
    apt-get install --yes --no-install-recommends \
        build-essential cmake python3-dev python3-venv libegl1 libgl1-mesa-dri python3-rosdep python3-colcon-common-extensions
    [ -d /etc/ros/rosdep/sources.list.d ] || rosdep init
    echo "yaml file://$PWD/requirements/rosdep.yaml" >/etc/ros/rosdep/sources.list.d/10-openral.list
    rosdep update --rosdistro jazzy
    rosdep install --from-paths . --ignore-src --rosdistro jazzy --default-yes \
        --skip-keys "$(sed -n 's/^\(.*-pip\):$/\1/p' requirements/rosdep.yaml | xargs)"
}

enter() { # ROS's set-up files read variables that are not set
    set +u
    . install/env.sh
    set -u
}

build() {
    make robot PYTHON=/usr/bin/python3.12
    enter
    colcon build --merge-install --symlink-install
}

run_tests() {
    enter
    colcon test --merge-install --return-code-on-test-failure
    colcon test-result --verbose
}

mission() { # the launch file's graph, until the mission of one prompt has ended
    enter
    setsid ros2 launch openral_bringup sim_e2e.launch.py detectors:=embedded brain:=scripted &
    launched=$!
    trap 'kill -INT -- "-$launched"; wait "$launched" || true' EXIT
    local status=$NO_RECEIPT
    while [ "$status" -eq "$NO_RECEIPT" ]; do # until the reasoner is up
        status=0
        timeout "$MISSION_TIMEOUT" openral prompt "bring me the baguette" --wait || status=$?
    done
    return "$status"
}

case "${1:-}" in
dependencies | build | mission) "$1" ;;
test) run_tests ;;
*)
    echo "usage: stock.sh dependencies|build|test|mission" >&2
    exit 2
    ;;
esac
