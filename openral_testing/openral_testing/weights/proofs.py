"""Proofs that weights were fetched, verified and measured on a machine (`openral weights prove`)."""

import json
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from openral_core.documents import Document
from openral_core.files import read_bytes, replace_file
from openral_core.parsing import MAX_JSON
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.weights_record import default_weights_folder

PROOF_FILE = "proof.json"
"""File beside a manifest, for a proof that was sent in; those of this machine are in ``.proofs``."""


class WeightsProof(Document):
    """Source and revision of proved weights, the day (YYYY-MM-DD), and the person or machine."""

    rskill: str
    uri: str
    revision: str
    date: str
    by: str

    @classmethod
    def of(cls, manifest: DetectorManifest, folder: Path, weights_folder: str) -> Self | None:
        """Return the proof of the weights that a manifest names; None without one."""
        for file in (proof_file(manifest.id, weights_folder), folder / PROOF_FILE):
            try:
                proof = cls.model_validate_json(read_bytes(file, MAX_JSON))
            except (ValidationError, OSError):
                continue
            weights = manifest.weights
            if weights and proof.uri == weights.uri and weights.revision in ("", proof.revision):
                return proof
        return None

    def write(self, weights_folder: str) -> None:
        """Write it as the proof of this machine."""
        file = proof_file(self.rskill, weights_folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(self.model_dump(mode="json"), indent=2) + "\n")


def proof_file(rskill_id: str, weights_folder: str) -> Path:
    """Return the file of this machine's proof."""
    base = Path(weights_folder).expanduser() if weights_folder else default_weights_folder()
    return base / ".proofs" / f"{rskill_id}.json"
