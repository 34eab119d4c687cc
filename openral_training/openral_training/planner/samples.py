"""Missions as trees of tokens: what its decisions share is read once, and each choice is a branch."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_training.local.tokens import LineEncoder


class UnusableMissions(OpenRALError):
    """File of missions that cannot be read, or of another prompt."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"missions in {str(path)[-200:]!r}: {problem}; draw them again in another --out")


@dataclass(frozen=True, slots=True)
class Sample:
    """Prompt of one decision, the lines to choose from, and the index of the planner's."""

    prompt: str
    lines: tuple[str, ...]
    right: int


@dataclass(slots=True)
class TokenTree:
    """Tokens of a mission; a token sees those on its path from the root.

    Attributes:
        tokens: Token of each node.
        depths: Position of each node on its path.
        parents: Index of each node's parent, -1 for the root.
        choices: Node after which a token is chosen, with the candidates, the right one first.
    """

    tokens: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    choices: list[tuple[int, list[int]]] = field(default_factory=list)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def extend(self, node: int, token: int) -> int:
        """Return the node of a token after another node; new if there is none."""
        key = (node, token)
        if key not in self._children:
            self._children[key] = len(self.tokens)
            self.tokens.append(token)
            self.depths.append(self.depths[node] + 1 if node >= 0 else 0)
            self.parents.append(node)
        return self._children[key]

    def add(self, prompt: list[int], choices: list[tuple[int, ...]], right: int) -> None:
        """Add a decision with the branch of the right choice."""
        node = -1
        for token in prompt:
            node = self.extend(node, token)
        alive = list(range(len(choices)))
        for depth, token in enumerate(choices[right]):
            others = sorted({choices[index][depth] for index in alive} - {token})
            if not others and len(alive) == 1:
                return
            if others:
                self.choices.append((node, [token, *others]))
            node = self.extend(node, token)
            alive = [index for index in alive if choices[index][depth] == token]

    def visible(self) -> NDArray[np.bool_]:
        """Return where a token (row) sees another (column)."""
        mask = np.zeros((len(self.tokens), len(self.tokens)), np.bool_)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                mask[node] = mask[parent]
            mask[node, node] = True
        return mask


def trees_of(samples: list[Sample], encoder: LineEncoder, longest: int) -> list[TokenTree]:
    """Return trees of a mission's decisions, of at most ``longest`` tokens; what is longer is left out."""
    trees, before = [TokenTree()], list[int]()
    for sample in samples:
        prompt, choices = encoder.prompt(sample.prompt), [encoder.choice(line) for line in sample.lines]
        size = len(prompt) + len(choices[sample.right])
        shared = next(
            (i for i, (a, b) in enumerate(zip(before, prompt, strict=False)) if a != b), len(before)
        )
        if len(trees[-1].tokens) + size - shared > longest:
            trees.append(TokenTree())
        if size <= longest:
            trees[-1].add(prompt, choices, sample.right)
        before = prompt
    return [tree for tree in trees if tree.choices]


def read_missions(path: Path, prompt_format: int) -> Iterator[list[Sample]]:
    """Yield the decisions of each mission in a file that `openral train planner` wrote.

    Raises:
        UnusableMissions: If it is of another prompt, or cut.
    """
    with path.open(encoding="utf-8") as file:
        try:
            version = json.loads(file.readline())["format"]
            if version != prompt_format:
                raise UnusableMissions(path, f"of prompt format {version}, this is format {prompt_format}")
            for line in file:
                yield [
                    Sample(prompt, tuple(lines), right)
                    for prompt, lines, right in json.loads(line)["samples"]
                ]
        except (ValueError, KeyError, TypeError) as error:
            raise UnusableMissions(path, f"{type(error).__name__}: {error}") from error
