"""Small text adventures in the formats of TextWorld and AdventureGame."""

from typing import Any

import pytest


def fact(name: str, *arguments: str) -> dict[str, Any]:
    return {
        "name": name,
        "arguments": [{"name": each.split(":")[0], "type": each.split(":")[1]} for each in arguments],
    }


def quest(*wins: dict[str, Any]) -> dict[str, Any]:
    return {
        "reward": 1,
        "win_events": [{"condition": {"name": "trigger", "preconditions": [w]}} for w in wins],
    }


NAMES = {
    "P": None,
    "I": None,
    "r_0": "kitchen",
    "r_1": "bedroom",
    "c_0": "fridge",
    "c_1": "wardrobe",
    "s_0": "dining table",
    "s_1": "bed",
    "f_0": "milk",
    "o_0": "clean shirt",
    "o_1": "wool coat",
}


@pytest.fixture
def twc_file() -> dict[str, Any]:
    """A kitchen and a bedroom: milk on the bed, a shirt on the table, a coat in the hand."""
    return {
        "version": 1,
        "world": [
            fact("at", "P:P", "r_0:r"),
            fact("at", "c_0:c", "r_0:r"),
            fact("at", "s_0:s", "r_0:r"),
            fact("at", "c_1:c", "r_1:r"),
            fact("at", "s_1:s", "r_1:r"),
            fact("closed", "c_0:c"),
            fact("open", "c_1:c"),
            fact("east_of", "r_1:r", "r_0:r"),
            fact("on", "f_0:f", "s_1:s"),
            fact("on", "o_0:o", "s_0:s"),
            fact("in", "o_1:o", "I:I"),
        ],
        "quests": [
            quest(fact("in", "f_0:f", "c_0:c")),
            quest(fact("in", "o_0:o", "c_1:c")),
            quest(fact("in", "o_1:o", "c_1:c")),
        ],
        "infos": [[each, {"id": each, "name": name}] for each, name in NAMES.items()],
    }


@pytest.fixture
def adventure_file() -> dict[str, Any]:
    """A pillow in a closed wardrobe that belongs on the counter of another room."""
    instance = {
        "game_id": 0,
        "variant": "basic",
        "prompt": "You play.\n\nYour goal for this game is: Put the pillow on the counter.\n\nThen say done.",
        "initial_state": [
            "at(kitchen1floor1,kitchen1)",
            "at(counter1,kitchen1)",
            "at(wardrobe1,bedroom1)",
            "at(pillow1,bedroom1)",
            "at(player1,kitchen1)",
            "type(kitchen1floor1,floor)",
            "type(player1,player)",
            "type(counter1,counter)",
            "type(wardrobe1,wardrobe)",
            "type(pillow1,pillow)",
            "room(kitchen1,kitchen)",
            "room(bedroom1,bedroom)",
            "support(counter1)",
            "container(wardrobe1)",
            "openable(wardrobe1)",
            "closed(wardrobe1)",
            "in(pillow1,wardrobe1)",
            "takeable(pillow1)",
            "exit(kitchen1,bedroom1)",
            "exit(bedroom1,kitchen1)",
        ],
        "goal_state": ["on(pillow1,counter1)"],
        "max_turns": 50,
        "optimal_turns": 5,
        "room_definitions": [{"type_name": "kitchen", "repr_str": "kitchen"}],
        "entity_definitions": ["home_entities.json"],
    }
    others = {"name": "potion_brewing_basic", "game_instances": [{"any": "thing"}]}
    return {"experiments": [{"name": "home_deliver_three_basic_easy", "game_instances": [instance]}, others]}


@pytest.fixture
def entities_file() -> list[dict[str, str]]:
    """Displayed names of what the adventure has."""
    return [
        {"type_name": each, "repr_str": each} for each in ("counter", "wardrobe", "pillow", "player", "floor")
    ]
