"""Take the pictures of the pages anew, into this folder: `python docs/figures/pages.py [FOLDER]`.

It needs Chromium, playwright of the extra [test], and nbconvert of the extra [notebooks]. What the pages show is the
same each time, but for dates and times.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXPERIMENT = Path(__file__).parents[2] / "experiments" / "15-puzzle.toml"
NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "a-first-search.ipynb"
GAME = "--player expectimax:depth=1 --seed 3 --delay 0s --max-moves 400"
COLOURS = 96
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def take(folder: Path) -> None:
    """Make the pages, and take their pictures into a folder."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        os.chdir(place)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        window(browser, folder / "window.png")
        report(browser, folder / "report.png")
        search(browser, folder / "search.png")
        notebook(browser, folder / "notebook.png")
        browser.close()


def window(browser: Browser, picture: Path) -> None:
    """Let a player play, and ask what it would do next."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "BROWSER")}
    game = subprocess.Popen(
        [*searchlab(), "play", "--browser", *GAME.split()],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert game.stderr
    address = re.search(r"http://\S+", game.stderr.readline())
    assert address
    page = opened(browser, address[0], 920, 720)
    page.get_by_text("which is the limit").wait_for(timeout=120_000)
    page.keyboard.press("h")
    page.locator("#moves .best").wait_for()
    keep(page, picture)
    game.send_signal(signal.SIGINT)
    game.communicate()


def report(browser: Browser, picture: Path) -> None:
    """Run an experiment, and show the beginning of its report."""
    subprocess.run([*searchlab(), "run", str(EXPERIMENT)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*searchlab(), "report", "results/15-puzzle", "--output", "report.html"], check=True)
    keep(opened(browser, Path("report.html").resolve().as_uri(), 900, 1000), picture)


def search(browser: Browser, picture: Path) -> None:
    """Show a search of an 8-puzzle board after some expansions."""
    command = ["view", "sliding-tile/puzzle8-20", "--search", "--output", "search.html"]
    subprocess.run([*searchlab(), *command], check=True)
    page = opened(browser, Path("search.html").resolve().as_uri(), 900, 1180)
    for _ in range(9):
        page.keyboard.press("e")
    keep(page, picture)


def notebook(browser: Browser, picture: Path) -> None:
    """Run a notebook, and show its beginning."""
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", "--output-dir", ".", str(NOTEBOOK)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    keep(opened(browser, Path(f"{NOTEBOOK.stem}.html").resolve().as_uri(), 900, 1000), picture)


def searchlab() -> list[str]:
    """Return how this interpreter runs searchlab."""
    return [sys.executable, "-m", "searchlab"]


def opened(browser: Browser, address: str, width: int, height: int) -> Page:
    """Return a page without animations."""
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.goto(address)
    return page


def keep(page: Page, picture: Path) -> None:
    """Write what a page shows into a small file, and close it."""
    image = Image.open(BytesIO(page.screenshot())).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
    page.close()


if __name__ == "__main__":
    take(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent).resolve())
