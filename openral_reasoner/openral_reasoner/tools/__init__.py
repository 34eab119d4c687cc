"""What the model may call: one file each."""

from openral_reasoner.tools.ask_human import AskHumanTool
from openral_reasoner.tools.calls import PALETTE, MalformedCall, ReasonerToolCall, parse_call, schemas
from openral_reasoner.tools.done import DoneTool
from openral_reasoner.tools.emit_prompt import EmitPromptTool
from openral_reasoner.tools.execute_rskill import ExecuteRskillTool
from openral_reasoner.tools.lifecycle_transition import LifecycleTransitionTool
from openral_reasoner.tools.locate_in_view import LocateInViewTool
from openral_reasoner.tools.recall_object import RecallObjectTool
from openral_reasoner.tools.resolve_place import ResolvePlaceTool
from openral_reasoner.tools.tool import InvalidCall, Outcome, Tool

__all__ = [
    "PALETTE",
    "AskHumanTool",
    "DoneTool",
    "EmitPromptTool",
    "ExecuteRskillTool",
    "InvalidCall",
    "LifecycleTransitionTool",
    "LocateInViewTool",
    "MalformedCall",
    "Outcome",
    "ReasonerToolCall",
    "RecallObjectTool",
    "ResolvePlaceTool",
    "Tool",
    "parse_call",
    "schemas",
]
