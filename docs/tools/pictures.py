"""The pictures of the docs, of the software as it is: python docs/tools/pictures.py (`make pictures`).

A `fewaspect quickstart` and a `fewaspect studio` are run in an empty folder, and Chromium photographs them.
"""

from __future__ import annotations

import csv
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.append(str(ROOT / "tests"))

from page_actions import add_aspect, import_reviews, new_project, skip_tour  # noqa: E402

SIZE = {"width": 1280, "height": 800}
SAID = {  # of each aspect of the invented hotels, and of none
    "parking": ("The garage was full.", "Parking cost 15 euros a night.", "There was no place for the car."),
    "breakfast": ("The breakfast buffet was rich.", "Cold eggs in the morning.", "Good coffee at breakfast."),
    "wifi": ("The wifi was down all day.", "Fast internet in every room."),
    "": ("See you on Monday.", "We came by train.", "It was our second visit."),
}
COMPLETE = r"""() => !document.querySelector('[aria-busy="true"], .loading, .toast, [role="progressbar"]')
  && !/\w+ing\b[^\n…]* …/.test(document.body.innerText)"""  # "Still reading …", "Counting …"
OFTEN = {
    "Spain": {"parking": 0.7, "breakfast": 0.4, "wifi": 0.2},
    "France": {"parking": 0.15, "breakfast": 0.4, "wifi": 0.25},
}


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        quickstart(browser, folder)
        with studio(folder) as address:
            for picture in (reviews, dashboard, evaluation, phone, comparison):
                picture(browser, address, folder)
        browser.close()


def quickstart(browser: Any, folder: Path) -> None:
    """quickstart.png: the page that `fewaspect quickstart` writes."""
    subprocess.run([sys.executable, "-m", "fewaspect", "quickstart"], cwd=folder, check=True, capture_output=True)
    page = browser.new_context(viewport={"width": 1200, "height": 1200}, color_scheme="light").new_page()
    page.goto((folder / "quickstart" / "tagged.html").as_uri())
    page.screenshot(path=PICTURES / "quickstart.png")


def reviews(browser: Any, address: str, _: Path) -> None:
    """studio.png: the sample project, with the details of a sentence."""
    page = opened(browser, address)
    page.locator("article.sentence").nth(3).click()
    page.locator(".details").wait_for()
    shoot(page, "studio")


def dashboard(browser: Any, address: str, _: Path) -> None:
    """studio-dashboard.png, in the dark theme."""
    page = opened(browser, address, color_scheme="dark")
    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_role("region", name="How often").wait_for()
    shoot(page, "studio-dashboard")


def evaluation(browser: Any, address: str, _: Path) -> None:
    """studio-evaluate.png: labelled lines of the sample, which the sample project has as reviews."""
    from fewaspect.data.sample_set import load_showcase

    showcase = load_showcase()
    lines = [
        f"{review.text} | {'; '.join(name for name in review.aspects if name in showcase.examples)}"
        for review in showcase.reviews
    ]
    page = opened(browser, address)
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_label(re.compile("paste lines")).fill("\n".join(lines))
    page.get_by_role("button", name="Evaluate", exact=True).last.click()
    page.get_by_role("region", name="Each aspect").wait_for()
    page.get_by_role("button", name="Evaluate", exact=True).last.evaluate("button => button.scrollIntoView()")
    shoot(page, "studio-evaluate")


def phone(browser: Any, address: str, _: Path) -> None:
    """studio-phone.png: the reviews on a narrow screen."""
    shoot(opened(browser, address, viewport={"width": 390, "height": 844}), "studio-phone")


def comparison(browser: Any, address: str, folder: Path) -> None:
    """studio-comparison.png: two countries side by side, of reviews that are made up."""
    page = opened(browser, address)
    new_project(page, "Hotels by country")
    import_reviews(page, made_up(folder / "hotels.csv"))
    for aspect in ("parking", "breakfast", "wifi"):
        add_aspect(page, aspect, list(SAID[aspect][:2]))
    page.locator(".aspect-form").get_by_role("button", name="Close").click()
    page.get_by_role("progressbar", name="Detection").wait_for(state="detached")
    page.get_by_role("tab", name="Dashboard").click()
    section = page.get_by_role("region", name="Side by side")
    section.get_by_label("Compare").select_option(label="Spain (120)")
    section.get_by_label("with").select_option(label="France (120)")
    section.locator(".differences > li").first.wait_for()
    section.scroll_into_view_if_needed()
    shoot(page, "studio-comparison")


def made_up(path: Path) -> Path:
    """Of parking people speak more often in Spain than in France."""
    draw = random.Random(5)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["country", "rating", "date", "review"])
        for n in range(240):
            country = ("Spain", "France")[n % 2]
            said = [
                draw.choice(SAID[""]),
                *(draw.choice(SAID[a]) for a, p in OFTEN[country].items() if draw.random() < p),
            ]
            out.writerow([country, draw.randint(1, 5), f"2026-{1 + n % 9:02}-{1 + n % 27:02}", " ".join(said)])
    return path


@contextmanager
def studio(folder: Path) -> Iterator[str]:
    """The address of one with the sample project."""
    command = [sys.executable, "-u", "-m", "fewaspect", "studio", "--no-browser", "--port", "0", "--data"]
    process = subprocess.Popen([*command, str(folder / "studio.db")], stdout=subprocess.PIPE, text=True)
    try:
        yield next(found.group() for line in process.stdout or () if (found := re.search(r"http://\S+", line)))
    finally:
        process.terminate()
        process.communicate(timeout=30)


def opened(browser: Any, address: str, **looks: Any) -> Any:
    """The page, once all sentences are scored."""
    context = browser.new_context(**{"viewport": SIZE, "color_scheme": "light", "accept_downloads": True, **looks})
    context.set_default_timeout(120_000)
    skip_tour(context)
    page = context.new_page()
    page.goto(address)
    page.locator("article.sentence").first.wait_for()
    page.get_by_role("progressbar", name="Detection").wait_for(state="detached")
    return page


def shoot(page: Any, name: str, folder: Path = PICTURES) -> None:
    """Once nothing on the page is still worked on, and messages have gone."""
    page.wait_for_function(COMPLETE)
    page.wait_for_timeout(1500)  # charts grow
    page.wait_for_function(COMPLETE)
    page.screenshot(path=folder / f"{name}.png", animations="disabled")
    page.context.close()


if __name__ == "__main__":
    main()
