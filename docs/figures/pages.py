"""Take the picture of the page to play on anew, into this folder: `python docs/figures/pages.py [FOLDER]`.

It needs Chromium, and playwright of the extra [test]. The game is the same each time.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

GAME = "--player expectimax:depth=1 --seed 3 --delay 0s --max-moves 400"
SIZE = {"width": 920, "height": 720}
COLOURS = 96
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def take(folder: Path) -> None:
    """Let a player play, ask what it would do next, and write the picture into a folder."""
    command = [sys.executable, "-m", "searchlab", "play", "--browser", *GAME.split()]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "BROWSER")}
        game = subprocess.Popen(
            command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert game.stderr
        address = re.search(r"http://\S+", game.stderr.readline())
        assert address
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(address[0])
        page.get_by_text("which is the limit").wait_for(timeout=120_000)
        page.keyboard.press("h")
        page.locator("#moves .best").wait_for()
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(folder / "window.png", optimize=True)
        browser.close()
        game.send_signal(signal.SIGINT)
        game.communicate()


if __name__ == "__main__":
    take(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent).resolve())
