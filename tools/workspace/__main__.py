"""Entry of `python3 -m workspace`."""

from workspace.python_version import continue_in_supported_interpreter

if __name__ == "__main__":
    continue_in_supported_interpreter()
    from workspace.commands import main

    raise SystemExit(main())
