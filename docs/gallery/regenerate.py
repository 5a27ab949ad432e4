"""Run the experiments of the gallery, and write what its pages show of them anew.

    python docs/gallery/regenerate.py [--folder FOLDER] [PAGE …]

The commands that a page shows are run in FOLDER, which is build/gallery. What they print goes below them, the pictures
they draw go beside the page, and their reports stay in FOLDER/site/reports, where conf.py finds them for the site.
After an interruption the script does the runs that are missing. After a change of a search delete FOLDER, so that all
runs are done again. All pages together take three minutes on two cores.
"""

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import signal
import sys
import time
from pathlib import Path

from searchlab.cli import main

GALLERY = Path(__file__).resolve().parent
ROOT = GALLERY.parents[1]
PAGES = sorted(path.stem for path in GALLERY.glob("*.md") if path.stem != "index")
WIDTH = 80
"""Columns of the terminal that tables are made for."""
STEP = re.compile(r"^\$ searchlab ((?:.*\\\n)*.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
"""A command of a console block, which may have several lines, and the lines that it prints."""


def regenerate(page: str, folder: Path) -> str:
    """Run the commands of a page in a folder, and return the page with what they print now.

    The folder gets the results, the pictures, and below site/reports the report.
    """
    shutil.copytree(ROOT / "experiments", folder / "experiments", dirs_exist_ok=True)
    (folder / "site" / "reports").mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder):
        text = STEP.sub(lambda step: f"$ searchlab {step[1]}\n{printed_by(step[1])}", text_of(page))
        for report in Path().glob("*.html"):
            report.replace(Path("site", "reports", report))
    return text


def printed_by(command: str) -> str:
    """Return what a command prints, the same if its runs were done before."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = main(shlex.split(command.replace("\\\n", " ")))
    if code:
        interrupted = code == 128 + signal.SIGINT
        sys.exit("interrupted: run it again to go on" if interrupted else f"failed: searchlab {command}")
    lines = re.sub(r", [\d,]+ done before:\s", ": ", printed.getvalue()).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def text_of(page: str) -> str:
    """Return the text of a page."""
    return (GALLERY / f"{page}.md").read_text(encoding="utf-8")


def pictures_of(page: str) -> list[str]:
    """Return the names of the pictures that the commands of a page draw."""
    return re.findall(r"--output ([\w-]+\.svg)", text_of(page))


def run() -> None:
    """Regenerate the pages that the arguments name, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="default: all")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "gallery", help="default: build/gallery")
    arguments = parser.parse_args()
    for unknown in set(arguments.pages) - set(PAGES):
        parser.error(f"there is no page {unknown!r}: there are {', '.join(PAGES)}")
    folder = arguments.folder.resolve()
    pages = arguments.pages or PAGES
    os.environ["COLUMNS"] = str(WIDTH)
    for number, page in enumerate(pages, 1):
        print(f"{number} of {len(pages)}: {page}", flush=True)
        began = time.perf_counter()
        text = regenerate(page, folder)
        changed = text != text_of(page)
        (GALLERY / f"{page}.md").write_text(text, encoding="utf-8")
        for picture in pictures_of(page):
            shutil.copy(folder / picture, GALLERY)
        print(f"  {time.perf_counter() - began:.0f} s, {'changed' if changed else 'the page is as it was'}", flush=True)


if __name__ == "__main__":
    run()
