"""Choices that cannot be brought up."""

from openral_core.errors import OpenRALError


class ImpossibleChoices(OpenRALError):
    """Everything that is wrong with what was chosen, in one message, before anything starts."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("this graph cannot be brought up:\n" + "\n".join(f"  - {each}" for each in problems))
