"""`python -m searchlab`: the command line."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - pip refuses it; from a clone's folder nobody else does
    sys.exit(f"searchlab needs Python 3.11 or newer, and this is {sys.version.split()[0]}")

from searchlab.experiments.processes import leave_out_current_folder

if __name__ == "__main__":
    leave_out_current_folder()  # before anything else is imported

from searchlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
