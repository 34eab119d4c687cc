"""`python -m openral_reasoner_ros.cli`."""

from openral_reasoner_ros.cli.app import main

if __name__ == "__main__":
    main()
