"""Where a sentence-embedding model is."""

import re
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from openral_core.errors import OpenRALError, listed

_TOKENIZER = "tokenizer.json"
_MODELS = ("onnx/model.onnx", "model.onnx")
_HUB = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<revision>[0-9a-f]{40})")

_NO_COMMIT = "neither a folder nor a model id with a commit: a branch or a tag may be another model tomorrow"


class NoEmbeddingModel(OpenRALError):
    """A sentence-embedding model that is not there."""

    def __init__(self, asked: str, found: str) -> None:
        super().__init__(
            f"no embedding model {asked!r} ({found}): name a folder with {_TOKENIZER} and one of "
            f"{listed(_MODELS)}, or <owner>/<name>@<commit> of the Hugging Face hub, the commit "
            "with all its 40 digits; or name none"
        )


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A tokenizer and an ONNX graph with inputs ``input_ids`` and ``attention_mask``."""

    tokenizer: Path
    graph: Path


def find_model(asked: str) -> ModelFiles:
    """The files of a model in a local folder, else of the hub; they are downloaded when not cached.

    Raises:
        NoEmbeddingModel: If there are none, saying what was found.
    """
    folder = Path(asked).expanduser()
    if folder.is_dir():
        return _in_folder(asked, folder)
    hub = _HUB.fullmatch(asked)
    if hub is None:
        raise NoEmbeddingModel(
            asked,
            "neither a folder nor a model id with a commit: a branch or a tag may be another model tomorrow",
        )
    return _on_hub(asked, hub["repository"], hub["revision"])


def _in_folder(asked: str, folder: Path) -> ModelFiles:
    graph = next((folder / name for name in _MODELS if (folder / name).is_file()), None)
    if graph is None or not (folder / _TOKENIZER).is_file():
        raise NoEmbeddingModel(
            asked, f"the folder has {listed(sorted(each.name for each in folder.iterdir()))}"
        )
    return ModelFiles(folder / _TOKENIZER, graph)


def _on_hub(asked: str, repository: str, revision: str) -> ModelFiles:
    try:
        files = [hf_hub_download(repository, name, revision=revision) for name in (_TOKENIZER, _MODELS[0])]
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else ""
        raise NoEmbeddingModel(asked, f"{type(error).__name__}: {first}") from error
    return ModelFiles(*map(Path, files))
