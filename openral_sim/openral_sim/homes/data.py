"""The data files beside this module."""

from importlib.resources import as_file, files

from openral_core.documents import AnyDocument, parse_document, read_yaml


def load_entries(name: str, model: type[AnyDocument]) -> dict[str, AnyDocument]:
    """Every entry of a data file, by its key.

    Raises:
        InvalidDocument: If an entry is wrong.
    """
    with as_file(files(__package__) / name) as path:
        content = read_yaml(path)
    return {
        key: parse_document(model, entry if isinstance(entry, dict) else {}, f"{name}: {key}")
        for key, entry in content.items()
    }
