"""What stands against the chosen brain, before anything starts."""

from collections.abc import Mapping

from openral_bringup.graphs.nodes import NodeSpec
from openral_reasoner.models.keys import KEY_VARIABLES, MissingKey, key_for


def check_brain(reasoner: NodeSpec, environment: Mapping[str, str], problems: list[str]) -> None:
    """Add to ``problems`` that a vendor's brain has no model, or no key to be asked with."""
    brain = str(reasoner.parameters["brain"])
    if brain not in KEY_VARIABLES:
        return
    if not reasoner.parameters["model"]:
        problems.append(f"--brain {brain}: --model is missing, the name of one of its models")
    try:
        key_for(brain, str(reasoner.parameters["base_url"]), environment)
    except MissingKey as error:
        problems.append(f"--brain {brain}: {error}")


def own_variables(brain: str) -> tuple[str, ...]:
    """Patterns of what the reasoner alone gets: the key of the chosen brain and what goes with it."""
    key = KEY_VARIABLES.get(brain)
    return (f"{key.partition('_')[0]}_*",) if key else ()
