"""Description of the whole graph as a value, which `sim_e2e.launch.py` and `deploy_sim.py` share."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from openral_bringup.graph.bodies import RobotBody, real_body, simulated_body
from openral_bringup.graph.composition import composed
from openral_bringup.graph.detectors import (
    check_compressed,
    chosen_detectors,
    default_locator,
    detector_nodes,
    initially_inactive,
)
from openral_bringup.graph.middleware import LARGE_IMAGES, rmw_environment
from openral_bringup.graph.nodes import NodeSpec, ParameterValue, overridden, unknown
from openral_bringup.graph.options import DeploymentOptions, Drift, remaps_of
from openral_bringup.graph.problems import Flag, InvalidDeployment, Problem
from openral_core.rskills import DetectorManifest, Registry
from openral_reasoner.llm.base import KEY_VARIABLES, MissingKey, api_key_for

CHECKED = {"ROS_PYTHON_CHECK_FIELDS": "1"}
"""Makes message classes reject a value of the wrong type by the field's name; otherwise C code may abort."""
SHARED = ("/clock", "/tf", "/tf_static", "/diagnostics")
"""Topics that are absolute by convention; a namespace gets its own, so that two robots do not mix."""


@dataclass(frozen=True, slots=True)
class GraphDescription:
    """Every node in starting order, bring-up last; ``run`` holds the keys of those started on this host.

    ``composed``: nodes that can share a process do; ``namespace`` is that of the whole graph.
    """

    nodes: tuple[NodeSpec, ...]
    run: frozenset[str] = frozenset()
    composed: bool = False
    namespace: str = ""

    @property
    def started(self) -> tuple[NodeSpec, ...]:
        """Nodes of this host: all, unless some were named."""
        return tuple(node for node in self.nodes if not self.run or node.key in self.run)

    @property
    def processes(self) -> tuple[NodeSpec, ...]:
        """Processes of this host: one per node, or a container for several."""
        return composed(self.started, self.namespace) if self.composed else self.started

    @property
    def listening(self) -> Mapping[str, str]:
        """Remaps of a node that subscribes to every camera."""
        return next((node.remaps for node in self.nodes if node.name == "world_state"), {})


def build_graph(
    options: DeploymentOptions,
    rskill_folders: Sequence[Path],
    environment: Mapping[str, str] = os.environ,
    earlier: Sequence[Problem] = (),
    requirements: Callable[[Sequence[NodeSpec]], Iterable[Problem]] = lambda nodes: (),
) -> GraphDescription:
    """Build the graph that the options describe.

    Args:
        rskill_folders: Folders of the rSkills.
        environment: Environment with the API keys of brains and the settings of the middleware.
        earlier: Problems found before, to be reported together with those found here.
        requirements: Returns what this machine lacks for the nodes it starts, to be reported with the rest.

    Raises:
        InvalidDeployment: With every problem, before anything starts.
    """
    problems = [*earlier, *options.name_problems]
    options = options.with_valid_names
    folders = [str(folder) for folder in rskill_folders]
    registry = Registry.load(rskill_folders)
    if options.simulated:
        body = simulated_body(options, folders, rmw_environment(environment, LARGE_IMAGES), problems)
    else:
        body = real_body(options, folders, problems)
    chosen = chosen_detectors(options, registry, problems, semantic=body.semantic)
    inactive = initially_inactive(options, chosen, problems)
    detectors = detector_nodes(options, chosen, inactive, folders, body.remaps)
    detectors = tuple(node.with_parameters(body.looks) for node in detectors)
    nodes = (
        body.node,
        *detectors,
        world_state_node(options, body),
        *mapper_nodes(options, body),
        reasoner_node(options, folders, chosen, body),
    )
    managed: list[str] = [node.managed_as for node in nodes if node.level is not None]
    bringup = NodeSpec("bringup", "openral_bringup", "bringup", options.namespace, None, {"nodes": managed})
    nodes = overridden((*nodes, bringup), options.overrides, problems)
    if options.simulated:
        check_compressed(nodes, options.namespace, problems)
    validate_model(next(node for node in nodes if node.name == "reasoner"), environment, problems)
    shared = shared_names(options.namespace)
    nodes = tuple(
        replace(
            node,
            remaps={**shared, **node.remaps},
            log_level=options.log_level.value,
            variables={**node.variables, **(CHECKED if options.check_fields else {})},
            own=own_variables(str(node.parameters["brain"])) if node.name == "reasoner" else (),
        )
        for node in nodes
    )
    problems += unknown({key: Flag("run", key) for key in options.run}, nodes)
    graph = GraphDescription(nodes, frozenset(options.run), options.composed, options.namespace)
    problems += requirements(graph.started)
    if problems:
        raise InvalidDeployment(problems)
    return graph


def shared_names(namespace: str) -> dict[str, str]:
    """Return the remaps that give a namespace its own clock, transforms and diagnostics."""
    return {name: f"{namespace}{name}" for name in SHARED} if namespace else {}


def world_state_node(options: DeploymentOptions, body: RobotBody) -> NodeSpec:
    """Return the node of the spatial memory, which subscribes to every camera."""
    parameters: dict[str, ParameterValue] = {
        "use_sim_time": options.simulated,
        **body.geometry,
        "map": body.home_map,
        "perceived_home": options.finds_home,
        "cameras": [camera.id for camera in options.chosen_cameras],
        "spatial_memory_path": options.spatial_memory_path,
        "record": options.record,
    }
    remaps = {**remaps_of(options.chosen_cameras, options.namespace), **body.remaps}
    return NodeSpec(
        "world_state", "openral_world_state", "world_state", options.namespace, 1, parameters, remaps=remaps
    )


def mapper_nodes(options: DeploymentOptions, body: RobotBody) -> tuple[NodeSpec, ...]:
    """Return the mapper if it was asked for, or there is no map; it uses the primary camera."""
    if not (options.mapper or options.finds_home):
        return ()
    primary = options.chosen_cameras[0].id
    rectified = cast("list[str]", body.geometry.get("rectified_cameras", []))
    parameters: dict[str, ParameterValue] = {
        "use_sim_time": options.simulated,
        **{key: body.geometry[key] for key in ("map_frame", "base_frame") if key in body.geometry},
        "cameras": [primary],
        "furniture": options.finds_home,
        "localise": options.drift is not Drift.OFF,
    }
    if options.finds_home and options.spatial_memory_path:
        parameters["map_path"] = str(Path(options.spatial_memory_path).with_suffix(".floor.npz"))
    if streams := [name for name in rectified if name in (primary, f"{primary}/depth")]:
        parameters["rectified_cameras"] = streams
    remaps = {**remaps_of(options.chosen_cameras, options.namespace), **body.remaps}
    return (NodeSpec("mapper", "openral_mapping", "mapper", options.namespace, 1, parameters, remaps=remaps),)


def reasoner_node(
    options: DeploymentOptions, folders: list[str], detectors: tuple[DetectorManifest, ...], body: RobotBody
) -> NodeSpec:
    """Return the reasoner with its default locator."""
    parameters: dict[str, ParameterValue] = {
        "use_sim_time": options.simulated,
        "brain": options.brain.value,
        "model": options.model,
        "base_url": options.base_url,
        "prompt": options.prompt.value,
        "tools": list(options.tools),
        "rskill_folders": folders,
        "default_detector": default_locator(detectors),
        "seed": options.seed,
        "has_skills": body.has_skills,
        "handoff_timeout": options.handoff_timeout,
        "gpu_budget_mb": options.gpu_budget_mb,
        "record": options.record,
        "journal": options.record,
    }
    return NodeSpec("reasoner", "openral_reasoner_ros", "reasoner", options.namespace, 2, parameters)


def validate_model(reasoner: NodeSpec, environment: Mapping[str, str], problems: list[Problem]) -> None:
    """Add a problem if a vendor's brain has no model name or no API key."""
    brain = str(reasoner.parameters["brain"])
    if brain not in KEY_VARIABLES:
        return
    flag = Flag("brain", brain)
    if not reasoner.parameters["model"]:
        problems.append(Problem(flag, ": add ", Flag("model"), " with the vendor's model name"))
    try:
        api_key_for(brain, str(reasoner.parameters["base_url"]), environment)
    except MissingKey as error:
        problems.append(Problem(flag, f": {error}"))


def own_variables(brain: str) -> tuple[str, ...]:
    """Return patterns of the environment variables for the reasoner alone: the API key and its companions."""
    key = KEY_VARIABLES.get(brain)
    return (f"{key.partition('_')[0]}_*",) if key else ()
