"""Entry point of `python -m openral_reasoner_ros.cli`."""

from openral_reasoner_ros.cli.main import main

if __name__ == "__main__":
    main()
