"""Entry point of `python -m openral_bringup.cli`."""

from openral_bringup.cli.main import main

if __name__ == "__main__":
    main()
