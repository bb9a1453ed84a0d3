"""A chapter opened in JupyterLab, which has none of the page's scripts."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from serving import BookServer

LAB_MS = 60_000.0  # JupyterLab's own start included


def test_a_chapter_is_a_notebook_whose_figure_shows(server: BookServer, page: Page) -> None:
    address = server.page("chapter/lab").replace("/book/chapter/lab.html", "/lab")
    page.goto(address)
    files = page.locator(".jp-DirListing-content")
    files.get_by_text("chapter", exact=True).dblclick(timeout=LAB_MS)
    files.get_by_text("lab.md", exact=True).dblclick(timeout=LAB_MS)
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=LAB_MS)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells").first.click()
    view = page.locator(".wt-view").first
    expect(view.locator(".main-svg").first).to_be_visible(timeout=LAB_MS)
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(view.locator(".scatterlayer .point")).to_have_count(10, timeout=LAB_MS)
