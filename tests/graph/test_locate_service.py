"""A plain rclpy client asks the running graph, as `ros2 service call` does."""

from collections.abc import Iterator
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy")
pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from openral_msgs.srv import LocateInView

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(300)]
SERVICE = "/openral/perception/sim_groundtruth_locator/locate_in_view"
Response = LocateInView.Response


class Client:
    """Calls services from another process than the graph's."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = Node("client", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)

    def locate(self, service: str, **fields: Any) -> Any:
        client = self._node.create_client(LocateInView, service)
        assert client.wait_for_service(timeout_sec=30.0)
        future = client.call_async(LocateInView.Request(**fields))
        self._executor.spin_until_future_complete(future, timeout_sec=30.0)
        assert future.done()
        return future.result()

    def close(self) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)


@pytest.fixture
def client(ros_domain: int, tmp_path: Any) -> Iterator[Client]:
    with Deployment(tmp_path) as deployment:
        deployment.wait_until_printed("/reasoner is active", 120.0)
        deployment.wait_until_printed("added to memory: mug", 60.0)
        client = Client(ros_domain)
        yield client
        client.close()


def test_every_kind_of_question_gets_its_typed_answer(client: Client) -> None:
    found = client.locate(SERVICE, query="red mug")
    assert found.status == Response.FOUND, found.message
    assert found.found
    assert found.camera == "head"
    box = found.detections.detections[0].bbox
    assert 0.0 <= box.center.position.x - box.size_x / 2.0 < box.center.position.x + box.size_x / 2.0 <= 640.0
    assert found.detections.header.frame_id == "head_camera_optical_frame"
    assert 0.0 <= found.frame_age < 2.0

    unknown = client.locate(SERVICE, query="red mug", camera="tail")
    assert unknown.status == Response.UNKNOWN_CAMERA
    assert "'head'" in unknown.message
    assert "'wrist'" in unknown.message

    assert client.locate(SERVICE, query="").status == Response.BAD_QUERY
    assert client.locate(SERVICE, query="mug", detector="sim-groundtruth").status == Response.WRONG_DETECTOR
    assert client.locate(SERVICE, query="unicorn").status == Response.NOT_IN_VIEW
    default = client.locate("/openral/perception/locate_in_view", query="baguette", detector="sim-locator")
    assert default.status == Response.FOUND, default.message
