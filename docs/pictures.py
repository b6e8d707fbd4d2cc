"""Takes the pictures of the playground anew: `python docs/pictures.py` (Chromium and the dev extra are needed)."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from constrained_du import Converter

HERE = Path(__file__).resolve().parent
DOMAIN = HERE.parent / "grammars" / "restaurant_en"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PICTURES = {
    "playground.png": ("a table for 3 at Pier 9 on Friday, 8:30 pm please", {"width": 1180, "height": 740}, "light", False),
    "playground-phone.png": ("book me a table for four at 7pm", {"width": 400, "height": 860}, "dark", True),
}
"""File → what is typed, the window, the colours, a phone or not."""


def take(browser: Browser, url: str) -> None:
    for name, (text, window, scheme, phone) in PICTURES.items():
        page = browser.new_context(viewport=window, color_scheme=scheme, is_mobile=phone, has_touch=phone).new_page()
        page.goto(url)
        page.wait_for_selector("#functions li", state="attached")
        page.fill("#utterance", text)
        page.press("#utterance", "Enter")
        page.wait_for_selector("#cost")
        page.screenshot(path=HERE / name)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        artifact = Path(folder) / "restaurant"
        converter = Converter().add_function_specs(DOMAIN / "specs.json").add_exemplars(DOMAIN / "exemplars.json")
        converter.add_recognizers(DOMAIN / "recognizers.json").finalize(artifact)
        command = [sys.executable, "-m", "constrained_du", "serve", artifact, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
            assert server.stdout is not None
            url = server.stdout.readline().split()[1]
            chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
            take(playwright.chromium.launch(executable_path=chromium, args=FLAGS), url)
            server.terminate()


if __name__ == "__main__":
    main()
