"""What a person does at the studio's page in several tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WAIT = 60_000  # milliseconds that anything on the page may take on a busy machine


def visit(chromium: Any, first: bool = False, **options: Any) -> Any:
    """A page of a browser of its own, in which the studio was seen before unless it is the `first` visit."""
    context = chromium.new_context(**options)
    context.set_default_timeout(WAIT)
    if not first:
        skip_tour(context)
    return context.new_page()


def skip_tour(context: Any) -> None:
    """As on a later visit; a page without an address has no storage."""
    context.add_init_script("location.origin === 'null' || localStorage.setItem('fewaspect-tour', 'seen')")


def new_project(page: Any, name: str) -> None:
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="New project").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill(name)
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")


def add_aspect(page: Any, name: str, examples: list[str]) -> None:
    form = page.locator(".aspect-form")
    if not form.is_visible():  # it stays open after an aspect is added
        page.get_by_role("button", name="Add an aspect", exact=True).and_(page.locator(".add-aspect")).click()
    form.get_by_label("Name").fill(name)
    form.get_by_label("Examples, one per line").fill("\n".join(examples))
    form.get_by_role("button", name="Add", exact=True).click()
    page.locator(".aspect-name", has_text=name).wait_for()


def import_reviews(page: Any, path: Path) -> None:
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="Import reviews").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(path)
    dialog.get_by_role("button", name="Import", exact=True).click()
    dialog.wait_for(state="hidden")
