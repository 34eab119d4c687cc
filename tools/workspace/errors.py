"""Errors of setting up and building.

WorkspaceError
├── StepFailed               shell.py
├── SystemPackagesMissing    system_packages.py
└── InterpreterMismatch      virtual_environments.py
"""


class WorkspaceError(Exception):
    """A problem that the user can fix; the message says how."""
