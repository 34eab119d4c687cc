"""Tool recall_object."""

import pytest
from pydantic import ValidationError

from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.recall_object import RecallObjectTool


@pytest.mark.parametrize(("memory", "detector"), [(True, False), (False, True), (True, True), (False, False)])
def test_is_offered_with_memory_or_a_detector(memory: bool, detector: bool) -> None:
    palette = ToolPalette(spatial_memory_available=memory, detector_available=detector)
    assert RecallObjectTool.offered(palette) == (memory or detector)


@pytest.mark.parametrize("query", ["", "x" * 201])
def test_a_query_has_one_to_two_hundred_characters(query: str) -> None:
    with pytest.raises(ValidationError, match="query"):
        RecallObjectTool(query=query)


def test_at_most_twelve_likely_places_are_taken() -> None:
    assert len(RecallObjectTool(query="mug", likely_places=("table",) * 12).likely_places) == 12
    with pytest.raises(ValidationError, match="likely_places"):
        RecallObjectTool(query="mug", likely_places=("table",) * 13)
