"""`python -m searchlab`: the command line."""

import sys

from searchlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
