"""The whole graph as a value: `sim_e2e.launch.py` and `deploy_sim.py` bring up the same one."""
# MERGED How images leave the process that takes them.

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from openral_bringup.graph.detectors import (
    chosen_detectors,
    default_locator,
    detector_nodes,
    initially_inactive,
    own_variables,
    validate_model,
)
from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.node_spec import NodeSpec, ParameterValue
from openral_bringup.graph.options import DeploymentOptions, check_compressed, remaps_of
from openral_bringup.graph.overrides import overridden, unknown
from openral_bringup.graph.resources import large_images_profile
from openral_core.documents import InvalidDocument, read_yaml
from openral_core.rskills import Registry

PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
"""Variables that name a Fast DDS profile: of the version in Jazzy, and of later ones."""
FAST_DDS = ("", "rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")


def rmw_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Environment of a process that publishes images; none where the user chose a profile or another RMW.

    Fast DDS's own shared-memory segment is smaller than an image of 640x480.
    """
    chosen = any(environment.get(name) for name in PROFILES)
    if chosen or environment.get("RMW_IMPLEMENTATION", "") not in FAST_DDS:
        return {}
    return {PROFILES[0]: str(large_images_profile())}


SIM_TIME: Mapping[str, ParameterValue] = {"use_sim_time": True}
CHECKED = {"ROS_PYTHON_CHECK_FIELDS": "1"}
"""Has message classes refuse a value of the wrong type with its field's name; without it C code may abort."""
SHARED = ("/clock", "/tf", "/tf_static", "/diagnostics")
"""Names that are absolute by custom; a robot with a namespace has its own, so that two do not mix."""


@dataclass(frozen=True, slots=True)
class GraphDescription:
    """Every node in the order to start them, bring-up last; ``run`` holds the keys of those started here."""

    nodes: tuple[NodeSpec, ...]
    run: frozenset[str] = frozenset()

    @property
    def started(self) -> tuple[NodeSpec, ...]:
        """The nodes of this host: all, unless some were named."""
        return tuple(node for node in self.nodes if not self.run or node.key in self.run)

    @property
    def listening(self) -> Mapping[str, str]:
        """The remaps of a node that listens to every camera."""
        return next((node.remaps for node in self.nodes if node.name == "world_state"), {})

    @property
    def managed(self) -> tuple[NodeSpec, ...]:
        """Nodes that bring-up activates, lower levels first."""
        return tuple(sorted((n for n in self.nodes if n.level is not None), key=lambda n: n.level or 0))


def build_graph(
    choices: DeploymentOptions,
    rskill_folders: Sequence[Path],
    environment: Mapping[str, str] = os.environ,
    known_problems: Sequence[str] = (),
    requirements: Callable[[GraphDescription], Iterable[str]] = lambda graph: (),
) -> GraphDescription:
    """The graph that was chosen.

    Args:
        choices: What was chosen.
        rskill_folders: Where the rSkills lie.
        environment: Holds the keys of brains that need one, and what was chosen for the middleware.
        known_problems: What was found before, to be told together with what is found here.
        requirements: What this machine lacks for the graph, to be told together with the rest.

    Raises:
        ImpossibleChoices: Naming everything that stands against it, before anything starts.
    """
    problems = [*known_problems, *choices.misnamed]
    choices = choices.well_named
    folders = [str(folder) for folder in rskill_folders]
    registry = Registry.load(rskill_folders)
    chosen = chosen_detectors(choices, registry, problems)
    nodes = (
        _sim(choices, folders, rmw_environment(environment)),
        *detector_nodes(choices, chosen, initially_inactive(choices, chosen, problems), folders),
        _world_state(choices, _map_of(choices.scene, problems)),
        _reasoner(choices, folders, default_locator(chosen)),
    )
    nodes = overridden((*nodes, _bringup(choices, nodes)), choices.overrides, problems)
    check_compressed(nodes, choices.namespace, problems)
    validate_model(next(node for node in nodes if node.name == "reasoner"), environment, problems)
    shared = shared_names(choices.namespace)
    nodes = tuple(
        replace(
            node,
            remaps={**shared, **node.remaps},
            log_level=choices.log_level.value,
            variables={**node.variables, **(CHECKED if choices.check_fields else {})},
            own=own_variables(str(node.parameters["brain"])) if node.name == "reasoner" else (),
        )
        for node in nodes
    )
    problems += unknown("--run {}", choices.run, nodes)
    graph = GraphDescription(nodes, frozenset(choices.run))
    problems += requirements(graph)
    if problems:
        raise InvalidDeployment(problems)
    return graph


def shared_names(namespace: str) -> dict[str, str]:
    """The remaps that give a namespace its own clock, transforms and diagnostics."""
    return {name: f"{namespace}{name}" for name in SHARED} if namespace else {}


def _sim(choices: DeploymentOptions, folders: list[str], variables: Mapping[str, str]) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        "scene": str(choices.scene),
        "seed": choices.seed,
        "real_time_factor": choices.real_time_factor,
        "rskill_folders": folders,
        "record": choices.record,
    }
    return NodeSpec("sim", "openral_sim", "sim", choices.namespace, 0, parameters, variables=variables)


def _world_state(choices: DeploymentOptions, home_map: str) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        **SIM_TIME,
        "map": home_map,
        "cameras": list(choices.camera_bases),
        "spatial_memory_path": choices.spatial_memory_path,
        "record": choices.record,
    }
    remaps = remaps_of(choices.camera_bases, choices.namespace)
    return NodeSpec(
        "world_state", "openral_world_state", "world_state", choices.namespace, 1, parameters, remaps=remaps
    )


def _reasoner(choices: DeploymentOptions, folders: list[str], default: str) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        **SIM_TIME,
        "brain": choices.brain.value,
        "model": choices.model,
        "base_url": choices.base_url,
        "rskill_folders": folders,
        "default_detector": default,
        "seed": choices.seed,
        "handoff_timeout": choices.handoff_timeout,
        "gpu_budget_mb": choices.gpu_budget_mb,
        "record": choices.record,
    }
    return NodeSpec("reasoner", "openral_reasoner_ros", "reasoner", choices.namespace, 2, parameters)


def _bringup(choices: DeploymentOptions, nodes: Sequence[NodeSpec]) -> NodeSpec:
    managed: list[str] = [node.managed_as for node in nodes if node.level is not None]
    return NodeSpec("bringup", "openral_bringup", "bringup", choices.namespace, None, {"nodes": managed})


def _map_of(scene: Path, problems: list[str]) -> str:
    if scene == Path():  # none was found, which was told before
        return ""
    try:
        content = read_yaml(scene)
    except InvalidDocument as error:
        problems.append(f"scene {error}")
        return ""
    home_map = scene.parent / str(content.get("map", ""))
    if not home_map.is_file():
        problems.append(f"scene {scene}: key 'map' must name a map file, found {content.get('map')!r}")
    return str(home_map.resolve())
