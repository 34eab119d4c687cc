"""The mission core: missions run from events to commands, resumed from a journal, and replayed."""
