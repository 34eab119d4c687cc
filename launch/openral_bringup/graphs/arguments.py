"""The launch arguments, and the choices they spell."""

from collections.abc import Mapping
from dataclasses import dataclass

from openral_bringup.graphs.choices import Brain, Choices, DetectorSet, LogLevel
from openral_bringup.graphs.locations import scene_path


@dataclass(frozen=True, slots=True)
class Argument:
    """One launch argument; lists are separated by commas."""

    name: str
    default: str
    description: str
    choices: list[str] | None = None


ARGUMENTS = (
    Argument("scene", "home", "scene file, shipped scene's name, or generated:SEED"),
    Argument("detectors", "embedded", "set of detectors", [each.value for each in DetectorSet]),
    Argument("continuous", "", "continuous detectors instead of the set's, separated by commas"),
    Argument("on_demand", "", "locators instead of the set's, separated by commas; the first is the default"),
    Argument("accept_licence", "", "licences accepted, separated by commas"),
    Argument("weights_dir", "", "where weights of detectors lie; nothing is downloaded"),
    Argument("device", "cpu", "where models of detectors run: cpu, cuda, cuda:1, tensorrt"),
    Argument("locate_anything", "false", "add the locator for complex words", ["true", "false"]),
    Argument("gpu_budget_mb", "0.0", "memory of all detectors and skills together [MB]; 0 = the GPU's"),
    Argument("cameras", "head,wrist", "camera ids or id=/topics, the primary first"),
    Argument("brain", "scripted", "what decides the next tool call", [each.value for each in Brain]),
    Argument("model", "", "model of the anthropic or openai brain"),
    Argument("base_url", "", "endpoint of the openai brain"),
    Argument("spatial_memory_path", "", "memory to load and keep"),
    Argument("seed", "0", "draws object poses and detector noise"),
    Argument("real_time_factor", "1.0", "speed cap of the simulation; 0 = none"),
    Argument("handoff_timeout", "0.0", "wait for a human's answer [s]; 0 = end at once"),
    Argument("max_restarts", "5", "restarts of a node that dies, then it is left down"),
    Argument("run", "", "nodes to start here, separated by commas, when the others run on another host"),
    Argument("log_level", "info", "severity from which nodes speak", [each.value for each in LogLevel]),
    Argument("record", "", "folder for spans and events"),
    Argument("namespace", "", "namespace of the whole graph, as in /robot1"),
)
LISTS = {
    "continuous": "continuous",
    "on_demand": "on_demand",
    "accept_licence": "accepted_licences",
    "cameras": "cameras",
    "run": "run",
}


def choices_from(words: Mapping[str, str]) -> Choices:
    """Launch arguments as checked choices.

    Raises:
        ValidationError: If a word is not of its argument's type.
        SceneNotFound: Listing the shipped scenes.
    """
    plain = {name: word for name, word in words.items() if name not in LISTS and name != "scene"}
    lists = {LISTS[name]: _split(word) for name, word in words.items() if name in LISTS}
    return Choices.model_validate({**plain, **lists, "scene": scene_path(words["scene"])})


def _split(word: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in word.split(",") if part.strip())
