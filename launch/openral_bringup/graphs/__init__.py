"""Which nodes make up the graph, from what the user chose. Pure."""

from openral_bringup.graphs.choices import Choices
from openral_bringup.graphs.description import GraphDescription, describe
from openral_bringup.graphs.impossible import ImpossibleChoices
from openral_bringup.graphs.nodes import NodeSpec

__all__ = ["Choices", "GraphDescription", "ImpossibleChoices", "NodeSpec", "describe"]
