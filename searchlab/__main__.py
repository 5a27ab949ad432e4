"""`python -m searchlab`: the command line."""

import sys

from searchlab.experiments.processes import leave_out_current_folder

if __name__ == "__main__":
    leave_out_current_folder()  # before anything else is imported

from searchlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
