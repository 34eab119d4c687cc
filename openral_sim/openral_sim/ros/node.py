"""Simulation node: a MuJoCo world as a robot with cameras, and its skill server.

Publishes /clock, tf, tf_static, odom, joint_states, robot_description; per camera image_raw, depth,
camera_info, semantic and labels; openral/skills, openral/failure/skill_server. Serves the action
openral/execute_rskill. Subscribes to map, home_map and openral/scene_graph, which explain why a way is
blocked; the base plans on map if the floor is perceived, the arm keeps clear of furniture on home_map if its
world is; and to tf (map -> odom) if its odometry drifts.
"""

from contextlib import suppress
from pathlib import Path

from nav_msgs.msg import OccupancyGrid
from pydantic import ValidationError
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from openral_core.geometry import InvalidTransform
from openral_core.home_map import HomeMap
from openral_core.rskills import Registry
from openral_ros.conversions.floor_maps import floor_map_from_message
from openral_ros.foreign_topics import subscribe_state
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.rskill_folders import rskill_folders
from openral_ros.run_node import run_process
from openral_ros.skill_server import SkillServer
from openral_ros.surroundings import SurroundingsSubscription
from openral_ros.tf_buffer import MOVING, parse_transform
from openral_ros.tracing import start_tracing
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.ros.parameters import SimParameters, WorldSource
from openral_sim.ros.sim_thread import SimLoop, start_thread
from openral_sim.ros.state_publishers import MAP, ODOM, SimPublishers
from openral_sim.scene.scene import load_scene
from openral_sim.simulation import RealTimePacer, Simulation


class ConfiguredSimulation:
    """World, topics and skill server of a configured node.

    While the node is inactive, simulated time stands still and no OpenGL context is open.

    Raises:
        InvalidParameters: If the node's parameters are invalid.
        InvalidDocument: If the scene, its map, the policy, the robot or a skill's manifest is invalid.
        UnknownSimRobot: If there is no such robot.
        RobotAssetsMissing: If the robot's model is not installed.
    """

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._node = node
        self._parameters = parameters = declare(node, SimParameters)
        start_tracing("sim", Path(parameters.record) if parameters.record else None)
        registry = Registry.load(rskill_folders(parameters.rskill_folders))
        self._floor = PerceivedFloor() if parameters.floor is WorldSource.PERCEIVED else None
        if self._floor is not None:
            subscribe_state(scope, OccupancyGrid, "map", self._on_map)
        self._space = PerceivedSpace() if parameters.arm_world is WorldSource.PERCEIVED else None
        if self._space is not None:
            scope.subscription(String, "home_map", self._on_home_map, LATCHED)
        scene = Path(parameters.scene)
        home = None if self._floor is not None else load_scene(scene).home
        self._simulation = Simulation.load(
            scene,
            parameters.seed,
            parameters.policy,
            self._floor,
            parameters.drift,
            parameters.robot,
            self._space,
            SurroundingsSubscription(scope, home),
        )
        if notice := self._simulation.control.robot.description.licence_notice:
            node.get_logger().warning(f"robot {parameters.robot}: {notice}")
        localisation = self._simulation.localisation
        if localisation.drifts:
            scope.subscription(TFMessage, "tf", self._on_transforms, MOVING)
        self._publishers = SimPublishers(
            scope, self._simulation.world, self._simulation.control, parameters, localisation=localisation
        )
        home, policy = self._simulation.world.scene.home, self._simulation.policy
        self._server = SkillServer(scope, node, registry, self._simulation, parameters, home, policy)

    def run(self, scope: ResourceScope) -> None:
        """Simulate and accept goals until the scope is left.

        Raises:
            GlContextRefused: If no OpenGL context can be opened.
        """
        loop = SimLoop(self._simulation, self._publishers, RealTimePacer(self._parameters.real_time_factor))
        scope.callback(self._report, loop)  # once the thread has stopped, which it would otherwise slow down
        start_thread(scope, self._node, loop, self._on_failed)
        self._server.serve(scope, loop)

    def _on_map(self, message: OccupancyGrid) -> None:
        if self._floor is not None:
            floor, localisation = floor_map_from_message(message), self._simulation.localisation
            self._floor.latest = floor.moved(localisation.T_world_map)

    def _on_home_map(self, message: String) -> None:
        """Take over the furniture that was found; a document that is none is ignored."""
        if self._space is not None:
            with suppress(ValidationError):
                self._space.furniture = HomeMap.model_validate_json(message.data).fixtures

    def _on_transforms(self, message: TFMessage) -> None:
        """Take over map -> odom; an invalid transform is ignored, as tf2 does."""
        for transform in message.transforms:
            if (transform.header.frame_id, transform.child_frame_id) == (MAP, ODOM):
                with suppress(InvalidTransform):
                    self._simulation.localisation.T_map_odom = parse_transform(transform)[2].matrix()

    def _report(self, loop: SimLoop) -> None:
        simulated, elapsed = self._simulation.time - loop.start_time, loop.profiler.elapsed
        self._node.get_logger().info(
            f"simulated {simulated:.1f} s in {elapsed:.1f} s (real-time factor {simulated / elapsed:.2f}): "
            + loop.profiler.summary()
        )

    def _on_failed(self, error: Exception) -> None:
        self._node.get_logger().fatal(f"simulation failed: {type(error).__name__}: {error}")
        self._server.report_failure("simulation_stopped", error)
        self._node.trigger_deactivate()


class SimNode(LifecycleNodeBase):
    """Lifecycle node that simulates a robot in a home and executes its skills."""

    def __init__(self, **options: object) -> None:
        super().__init__("sim", **options)
        self._simulation: ConfiguredSimulation | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Load the scene and create every interface."""
        self._simulation = ConfiguredSimulation(scope, self)
        scope.callback(setattr, self, "_simulation", None)

    def activate(self, scope: ResourceScope) -> None:
        """Start the simulation's thread and accept goals."""
        if self._simulation is not None:
            self._simulation.run(scope)


def main() -> None:
    """Run the node until it is interrupted."""
    run_process(SimNode)
