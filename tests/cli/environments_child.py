"""Runs command lines one after another in this process, and writes down what each did; for `test_environments.py`.

Arguments: the folder of the reports, and the commands by name as JSON.
Each command reads its standard input from the file `input` in that folder, and its standard output and standard error
go to files of their own there, unless these streams are closed from the beginning.
"""

import json
import os
import sys

from searchlab.cli import main

folder, listed = sys.argv[1:]
for name, command in json.loads(listed).items():
    if sys.stdin is not None:
        file = os.open(os.path.join(folder, "input"), os.O_RDONLY)
        os.dup2(file, 0)
        os.close(file)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the command runs
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        if stream is not None:
            stream.flush()
            file = os.open(os.path.join(folder, f"{name}.{number}"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(file, number)
            os.close(file)
    code = main(command)
    with open(os.path.join(folder, f"{name}.code"), "w") as report:
        report.write(str(code))
