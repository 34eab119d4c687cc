"""Base of everything that may go wrong while setting up or building.

WorkspaceError
├── StepFailed               steps.py
├── SystemPackagesMissing    system_packages.py
└── InterpreterMismatch      virtual_environments.py
"""


class WorkspaceError(Exception):
    """Something the user can mend; the message says how."""
