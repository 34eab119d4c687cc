"""Choices of the benchmarks, as the command line names them."""

from enum import StrEnum


class TaskType(StrEnum):
    """Kinds of household tasks."""

    FETCH = "fetch"
    """Bring something that memory has seen lying about."""
    FIND = "find"
    """Say where something is that nobody has seen yet, behind doors or not."""
    OPEN = "open"
    """Bring something that memory knows behind a closed door."""
    VIEW = "view"
    """Drive to a piece of furniture and look at it."""
    HAND = "hand"
    """Give somebody something that nobody has seen yet, and that lies open."""
    POUR = "pour"
    """Bring a drink: open, grasp, find a vessel, pour, deliver."""
    SEVERAL = "several"
    """Bring two objects."""
    REARRANGE = "rearrange"
    """Put two objects on two pieces of furniture."""
    SWAP = "swap"
    """Exchange the places of two objects."""
    CLEAR = "clear"
    """Take everything off a piece of furniture."""
    TIDY = "tidy"
    """Put away what lies out of place in a room."""
    CONDITION = "condition"
    """Bring an object if it lies at a place, otherwise another one."""
    SWITCH = "switch"
    """Turn a lamp or screen on, or off if it is on at first."""


class HomeKnowledge(StrEnum):
    """Knowledge of the home before a task."""

    SHIPPED = "shipped"
    """The map of the scene."""
    NONE = "none"
    """Nothing."""
    EXPLORED = "explored"
    """What it found itself on one exploration."""


class Perturbation(StrEnum):
    """Kinds of changes."""

    NONE = "none"
    """Nothing changes."""
    OBJECT_MOVED = "object_moved"
    """A person puts the object of the task elsewhere, unless the robot holds it."""
    LIGHT_OFF = "light_off"
    """The lamps are switched off."""
    DOOR_SHUT = "door_shut"
    """A person shuts every door between rooms, and opens them again later."""
    PERSON_WALKS = "person_walks"
    """The person who is to be given the object, or the first one, walks elsewhere and stays there."""


BABYAI_LEVELS = (
    "GoToRedBall",
    "GoToLocal",
    "PutNextLocal",
    "PickupLoc",
    "OpenTwoDoors",
    "OpenDoorsOrderN4",
    "ActionObjDoor",
    "GoToObjDoor",
    "FindObjS5",
    "PutNextS7N4",
    "MoveTwoAcrossS8N9",
    "GoToObjMaze",
    "GoTo",
    "Open",
    "Pickup",
    "UnblockPickup",
    "GoToSeq",
    "Synth",
    "UnlockLocal",
)
"""Levels that are played, by their names without "BabyAI-" and the version."""


TWC_LEVELS, TWC_SPLITS = ("easy", "medium", "hard"), ("train", "valid", "test")


FOLDS = {"train": 0, "dev": 10_000, "test": 20_000}
"""Folds by objects or recipes, with their first seeds; the engine has 1,000 seeds in each."""


EXPRESS_LEVELS = ("twc-easy", "twc-medium", "twc-hard", "coin", "cooking-easy", "cooking-hard")
