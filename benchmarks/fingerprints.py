"""The fingerprints of the plugins that ship, by which runs of experiments are known: see `fingerprint.json` of each.

    python benchmarks/fingerprints.py             # each plugin's fingerprint
    python benchmarks/fingerprints.py --check     # exit code 1 where one is recorded for other code than there is
    python benchmarks/fingerprints.py --accept    # record the present code under the fingerprints it had before

Where code of a plugin changes and does exactly what it did, which the bench signature shows, `--accept` keeps its
fingerprint, and what users have finished stays finished. Where it does something else, delete the `fingerprint.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import searchlab as sl
from searchlab.experiments.fingerprints import RECORD, code_of, fingerprint, plugin_name, recorded


def main() -> int:
    """Print, check or record the fingerprints; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="find out whether the records are of the present code")
    parser.add_argument("--accept", action="store_true", help="keep the fingerprints for the present code")
    asked = parser.parse_args()
    outdated = []
    for plugin in sl.Plugins(third_party=False).loaded:
        file = Path(plugin.file).with_name(RECORD)
        if file.is_file() and not recorded(plugin):
            outdated.append(plugin_name(plugin))
        if asked.accept and file.is_file():
            record = {"fingerprint": json.loads(file.read_bytes())["fingerprint"], "code": code_of(plugin)}
            file.write_text(f"{json.dumps(record, indent=2)}\n", encoding="utf-8")
        else:
            print(f"{plugin_name(plugin)}  {fingerprint(plugin).text}")
    if asked.check and outdated:
        print(f"other code than when it was recorded: {', '.join(outdated)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
