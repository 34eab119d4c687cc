"""Exactly what the model is given of the palette, as JSON, latched on openral/palette."""

import json

from std_msgs.msg import String

from openral_reasoner.missions.words import SYSTEM
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.tools import schemas
from openral_reasoner_ros.names import PALETTE
from openral_ros.qos import LATCHED
from openral_ros.scopes import Scope


class PalettePublisher:
    """Publishes when the text changes."""

    def __init__(self, scope: Scope) -> None:
        self._publisher = scope.publisher(String, PALETTE, LATCHED)
        self._shown = ""

    def show(self, palette: ToolPalette) -> None:
        """The palette of now."""
        text = palette_text(palette)
        if text != self._shown:
            self._shown = text
            self._publisher.publish(String(data=text))


def palette_text(palette: ToolPalette) -> str:
    """System words, the tools with their schemas, and the palette they were made from."""
    tools = [
        {"name": t.name, "description": t.description, "parameters": json.loads(t.parameters)}
        for t in schemas(palette)
    ]
    content = {"system": SYSTEM, "tools": tools, "palette": palette.model_dump(mode="json")}
    return json.dumps(content, sort_keys=True)
